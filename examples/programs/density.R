# A density in R: two numbers, standard normal each, with correlation 0.8.
#
#     ckam sample --program 'Rscript density.R' --params 'x, y' --workers 2 --timeout 5 --chains 4
#
# Each line of input is a point, each line of output its log density, up to a constant. With so many digits the number is
# what R computed, to the last bit.

rho <- 0.8

log_density <- function(p) -0.5 * (p[1]^2 - 2 * rho * p[1] * p[2] + p[2]^2) / (1 - rho^2)

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  point <- as.numeric(strsplit(line, " ")[[1]])
  cat(format(log_density(point), digits = 17), "\n", sep = "")
  flush(stdout())
}
