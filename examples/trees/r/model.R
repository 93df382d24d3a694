# How height depends on age and treatment.
given <- commandArgs(TRUE)
saveRDS(lm(height ~ age * treatment, data = read.csv(given[1])), given[2])
