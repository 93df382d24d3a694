# Without plants that are too young; each with its plot's treatment.
given <- commandArgs(TRUE)
plants <- merge(read.csv(given[1]), read.csv(given[2]))
write.csv(plants[plants$age > 2, ], given[3], row.names = FALSE)
