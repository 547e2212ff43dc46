# metrop.R - mcmc::metrop, as bench/peers runs it: asked in lines on stdin, answers as raw doubles on stdout.
#
#                                             0 when it is ready
#     density TARGET X...                     the log density at X
#     run TARGET HOW SEED EVALUATIONS X...    seconds, evaluations, chains, rows; then the draws, row by row
#
# HOW is the scale: a number, or 'tuned' for one whose acceptance is about 0.25, as the package's 'demo' vignette does it.
library(mcmc)

left <- c(-8, 0)
right <- c(8, 0)
mix.centre <- 2.5 * (0:4)
mix.variance <- sqrt(1:5)
mix.constant <- -log(mix.variance)
grid.centre <- 15 * (-2:2)

targets <- list(
    bimodal = function(x) {
        a <- -sum((x - left)^2)
        b <- -log(4) - 0.25 * sum((x - right)^2)
        max(a, b) + log1p(exp(-abs(a - b)))
    },
    mixture5 = function(x) {
        square <- (x[1] - mix.centre)^2 + (x[2] - mix.centre)^2
        terms <- mix.constant - 0.5 * square / mix.variance
        most <- max(terms)
        most + log(sum(exp(terms - most)))
    },
    grid32 = function(x) sum(log(rowSums(exp(outer(x, grid.centre, "-")^2 / -30)))),
    "gaussian:dim=10" = function(x) -0.5 * sum(x^2),
    banana = function(x) {
        straight <- x[2] - 0.03 * (x[1]^2 - 100)
        -0.5 * (x[1]^2 / 100 + straight^2 + sum(x[3:8]^2))
    }
)

# Trial runs, each from where the last one ended, as the vignette does it. Not timed.
tuned <- list()
scale.of <- function(target, start) {
    if (is.null(tuned[[target]])) {
        trial <- metrop(targets[[target]], start, nbatch = 2000, scale = 1)
        for (i in 1:30) {
            if (abs(trial$accept - 0.25) < 0.03) break
            trial <- metrop(trial, scale = trial$scale * exp(trial$accept - 0.25) ^ 2)
        }
        tuned[[target]] <<- trial$scale
    }
    tuned[[target]]
}

output <- file("/dev/stdout", "wb", raw = TRUE)
answer <- function(...) {
    for (values in list(...)) writeBin(as.double(values), output)
    flush(output)
}

run <- function(target, how, seed, evaluations, start) {
    set.seed(seed)
    scale <- if (how == "tuned") scale.of(target, start) else as.numeric(how)
    begun <- proc.time()[["elapsed"]]
    out <- metrop(targets[[target]], start, nbatch = evaluations, scale = scale)
    seconds <- proc.time()[["elapsed"]] - begun
    burn <- evaluations %/% 10
    answer(c(seconds, evaluations + 1, 1, evaluations - burn), t(out$batch[-seq_len(burn), , drop = FALSE]))
}

message("mcmc ", packageVersion("mcmc"), ", R ", getRversion())
answer(0)
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) == 1) {
    word <- strsplit(line, " ")[[1]]
    if (word[1] == "density") answer(targets[[word[2]]](as.numeric(word[-(1:2)])))
    else run(word[2], word[3], as.integer(word[4]), as.integer(word[5]), as.numeric(word[-(1:5)]))
}
