# Of the genome n reads of 200 letters, every twentieth letter of which is read wrongly.
!/^>/ { genome = genome $0 }
END {
    srand(seed)
    for (i = 1; i <= n; i++) {
        at = int(rand() * (length(genome) - 200))
        read = ""
        for (k = 1; k <= 200; k++) read = read (rand() < 0.05 ? substr("ACGT", int(rand() * 4) + 1, 1) : substr(genome, at + k, 1))
        print ">read" i "\n" read
    }
}
