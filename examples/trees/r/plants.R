# Plants of four plots: age and height.
given <- commandArgs(TRUE)
set.seed(as.integer(given[1]))
n <- 2000
plot <- sample(1:4, n, replace = TRUE)
age <- runif(n, 1, 60)
height <- 3 + (0.4 + 0.1 * plot) * age + rnorm(n, sd = 2)
write.csv(data.frame(plot, age, height), given[2], row.names = FALSE)
