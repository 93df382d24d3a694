# Ten steps: records are made, cleaned, sorted, grouped and reported. Steps 1 to 4 take most of the time.
export LC_ALL=C
seed=7 size=150000 top=3
awk -v seed=$seed -v n=$size 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(rand() * 997), rand() * 100, i % 13 }' > raw.txt
awk 'NF == 3 { s = 0; for (k = 0; k < 100; k++) s += ($2 * k) % 7; print $1, s, $3 }' raw.txt > clean.txt
sort -k1,1n -k2,2g -o sorted.txt clean.txt
awk '{ sum[$1] += $2; n[$1]++ } END { for (k in sum) print k, sum[k] / n[k], n[k] }' sorted.txt > means.txt
tools/rank means.txt ranked.txt
awk '{ n[$3]++ } END { for (k in n) print k, n[k] }' sorted.txt > classes.txt
sort -k1,1b -o classes-sorted.txt classes.txt
join -j 1 classes-sorted.txt names.txt > named.txt
head -n $top ranked.txt > top.txt
cat top.txt named.txt > report.txt
