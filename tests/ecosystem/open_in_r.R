# open_in_r.R DIRECTORY... - R's rstan and posterior open runs and find in them what is there.
#
# Of each run: rstan reads the chains without a warning, with the bits that read.csv finds; posterior computes the
# numbers of summary.csv. A check has a twin with a changed number, which it must notice. Exit status 1: something
# differs.
failures <- 0
report <- function(good, ...) {
  if (!isTRUE(good)) {
    failures <<- failures + 1
    cat("FAILED: ", ..., "\n", sep = "")
  }
}
has <- function(package) suppressWarnings(suppressMessages(requireNamespace(package, quietly = TRUE)))

read_rows <- function(file) {
  read.csv(file, comment.char = "#", check.names = FALSE, colClasses = "numeric")
}
files_of <- function(directory, suffix = "") {
  files <- file.path(directory, sprintf("chain_%d%s.csv", 1:100, suffix))
  files[file.exists(files)]
}
# x.1 -> x[1], b.2.3 -> b[2,3]
with_brackets <- function(names) {
  parts <- strsplit(names, ".", fixed = TRUE)
  vapply(parts, function(p) if (length(p) == 1) p else sprintf("%s[%s]", p[1], paste(p[-1], collapse = ",")), "")
}
# The smallest change there is: the last bit of the middle number that is not 0.
change <- function(numbers) {
  at <- which(numbers != 0)[(sum(numbers != 0) + 1) %/% 2]
  numbers[at] <- numbers[at] * (1 + .Machine$double.eps)
  numbers
}

# -- rstan -----------------------------------------------------------------------------------------------------------

# What rstan makes of the files, as a list of chains of named columns; stops at a warning that is not in `allowed`.
read_with_rstan <- function(files, allowed) {
  fit <- withCallingHandlers(rstan::read_stan_csv(files), warning = function(w) {
    if (!nzchar(allowed) || !grepl(allowed, conditionMessage(w))) stop(conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  draws <- rstan::extract(fit, permuted = FALSE, inc_warmup = FALSE)
  statistics <- rstan::get_sampler_params(fit, inc_warmup = FALSE)
  lapply(seq_along(files), function(chain) {
    one <- array(draws[, chain, ], dim(draws)[c(1, 3)], list(NULL, dimnames(draws)$parameters))
    c(as.list(as.data.frame(one)), as.list(as.data.frame(statistics[[chain]])))
  })
}

same_columns <- function(found, rows) {
  all(vapply(seq_along(rows), function(chain) {
    names <- with_brackets(names(rows[[chain]]))
    setequal(names(found[[chain]]), names) &&
      all(mapply(function(name, numbers) identical(found[[chain]][[name]], numbers), names, rows[[chain]]))
  }, TRUE))
}

check_rstan <- function(files, what, allowed = "") {
  rows <- lapply(files, read_rows)
  found <- tryCatch(read_with_rstan(files, allowed), error = conditionMessage)
  if (is.character(found)) return(report(FALSE, what, ": rstan says: ", found))
  report(same_columns(found, rows), what, ": rstan finds other numbers than read.csv")
  report(all(c("x[1]", "x[2]", "lp__") %in% names(found[[1]])), what, ": rstan misses x[1], x[2] or lp__")
  last <- length(rows)
  rows[[last]][["x.2"]] <- change(rows[[last]][["x.2"]])
  report(!same_columns(found, rows), what, ": a changed bit was not noticed")
  cat(sprintf("%s: rstan read %d chains of %d rows\n", what, last, nrow(rows[[1]])))
}

# -- posterior -------------------------------------------------------------------------------------------------------

# chains x columns -> posterior's array, cut to the shortest chain
as_array <- function(rows) {
  shortest <- min(vapply(rows, nrow, 1L))
  columns <- names(rows[[1]])
  columns <- columns[columns == "lp__" | !grepl("__$", columns)]
  draws <- array(0, c(shortest, length(rows), length(columns)),
                 list(NULL, NULL, with_brackets(columns)))
  for (chain in seq_along(rows)) draws[, chain, ] <- as.matrix(rows[[chain]][seq_len(shortest), columns])
  posterior::as_draws_array(draws)
}

summarise <- function(draws) {
  as.data.frame(posterior::summarise_draws(draws, "mean", "mcse_mean", "sd", "median", "mad", posterior::quantile2,
                                           "rhat", "ess_bulk", "ess_tail"))
}

# "" or the first difference
difference <- function(ours, theirs) {
  if (!identical(names(ours), names(theirs))) return(paste("columns", paste(names(ours), collapse = " ")))
  if (!identical(with_brackets(ours$variable), theirs$variable)) {
    return(paste("rows", paste(ours$variable, collapse = " ")))
  }
  for (column in names(theirs)[-1]) {
    a <- ours[[column]]
    b <- theirs[[column]]
    bad <- is.na(a) != is.na(b) | (!is.na(a) & !is.na(b) & abs(a - b) > 1e-8 * pmax(1, abs(b)))
    if (any(bad)) return(sprintf("%s of %s: %.12g, not %.12g", column, theirs$variable[bad][1], a[bad][1], b[bad][1]))
  }
  ""
}

check_posterior <- function(files, summary_file, what) {
  draws <- as_array(lapply(files, read_rows))
  ours <- read.csv(summary_file, comment.char = "#", check.names = FALSE)
  theirs <- summarise(draws)
  found <- difference(ours, theirs)
  report(found == "", what, ": summary.csv differs from posterior: ", found)
  for (column in names(theirs)[-1]) {
    twin <- ours
    twin[[column]][nrow(twin)] <- twin[[column]][nrow(twin)] + 1e-6 * max(1, abs(twin[[column]][nrow(twin)]))
    report(difference(twin, theirs) != "", what, ": a changed ", column, " was not noticed")
  }
  cat(sprintf("%s: posterior summarised %d columns of %d chains of %d rows\n", what, nrow(theirs), dim(draws)[2],
              dim(draws)[1]))
}

# -- All runs --------------------------------------------------------------------------------------------------------

for (package in c("rstan", "posterior")) if (!has(package)) cat("skipped: R's package", package, "is not there\n")
for (directory in commandArgs(TRUE)) {
  name <- basename(directory)
  files <- files_of(directory)
  warmup <- files_of(directory, "_warmup")
  report(length(files) > 0, name, ": there is no chain")
  if (has("rstan")) {
    check_rstan(files, name)
    # A warm-up file has the top of the draws, where num_samples is another number.
    for (file in warmup) check_rstan(file, paste(name, basename(file)), allowed = "does not match iter/warmup/thin")
  }
  if (has("posterior")) check_posterior(files, file.path(directory, "summary.csv"), name)
}
if (failures) quit(status = 1)
