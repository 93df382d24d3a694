# The slope of height by age, in samples drawn again.
given <- commandArgs(TRUE)
set.seed(1)
plants <- read.csv(given[1])
slopes <- replicate(as.integer(given[2]), {
    drawn <- plants[sample(nrow(plants), replace = TRUE), ]
    coef(lm.fit(cbind(1, drawn$age), drawn$height))[2]
})
write.csv(data.frame(slope = slopes), given[3], row.names = FALSE)
