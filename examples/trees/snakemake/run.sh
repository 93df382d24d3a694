# A study that Snakemake runs, one rule at a time.
command -v snakemake > /dev/null || { echo "needs snakemake: pip install snakemake" >&2; exit 127; }
snakemake --cores 1 --scheduler greedy --quiet all
