# Ten steps: a genome and reads of it are made, the reads are searched in the genome, the hits counted and reported.
for tool in makeblastdb blastn dustmasker; do
    command -v $tool > /dev/null || { echo "needs $tool: apt-get install ncbi-blast+" >&2; exit 127; }
done
export LC_ALL=C
seed=7 reads=1500 word=7 identity=85 top=10
awk -v seed=$seed -v n=200000 -f genome.awk > genome.fa
awk -v seed=3 -v n=$reads -f reads.awk genome.fa > reads.fa
dustmasker -in genome.fa -outfmt interval -out masked.txt
makeblastdb -in genome.fa -dbtype nucl -out genome > made.txt
blastn -task blastn -word_size $word -db genome -query reads.fa -outfmt 6 -out hits.tsv
awk -v least=$identity '$3 >= least' hits.tsv > good.tsv
sort -k1,1 -k12,12gr -o ranked.tsv good.tsv
awk '!seen[$1]++' ranked.tsv > best.tsv
awk -f coverage.awk best.tsv > coverage.txt
tools/report $top coverage.txt masked.txt > report.txt
