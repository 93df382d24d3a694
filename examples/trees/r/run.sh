# An analysis in R; make runs what it takes.
for tool in make Rscript; do
    command -v $tool > /dev/null || { echo "needs $tool: apt-get install make r-base-core" >&2; exit 127; }
done
make -s
