# A random genome of n letters.
BEGIN {
    srand(seed)
    print ">genome"
    for (i = 1; i <= n; i++) printf "%s%s", substr("ACGT", int(rand() * 4) + 1, 1), i % 60 ? "" : "\n"
}
