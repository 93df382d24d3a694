# Coefficients, and the spread of the slope.
given <- commandArgs(TRUE)
table <- as.data.frame(coef(summary(readRDS(given[1])))[, 1:2])
table["bootstrap", ] <- c(mean(read.csv(given[2])$slope), sd(read.csv(given[2])$slope))
write.csv(round(table, 4), given[3])
