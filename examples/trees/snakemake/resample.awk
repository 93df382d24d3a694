# The mean of n days drawn again and again.
{ rain[NR] = $2 }
END { srand(1); for (i = 0; i < n; i++) sum += rain[int(rand() * NR) + 1]; printf "%.4f\n", sum / n }
