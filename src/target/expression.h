/* expression.h - a model in C around one line that the user gave. For compile.c alone. */
#ifndef CKAM_TARGET_EXPRESSION_H
#define CKAM_TARGET_EXPRESSION_H

#include "target/params.h"

/* *text := the source of a model whose log density is this expression in the parameters; yours to free. */
ckam_status expression_source(const char *expression, const params *p, char **text, size_t *size, ckam_error *error);

#endif
