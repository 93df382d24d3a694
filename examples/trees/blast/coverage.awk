# How many reads begin in each thousand letters.
{ count[int($9 / 1000)]++ }
END { for (k in count) print count[k], k | "sort -k1,1nr -k2,2n" }
