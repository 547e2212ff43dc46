/* no_function.c - a list of parameters, but no density. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};
