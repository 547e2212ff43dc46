/* protocol.h - the lines that a program writes: what it says of itself, and its answers. docs/programs.md has the protocol.
 *
 * For program.c: text in, numbers or sentences out. What a program wrote stands in a sentence cut, with a question mark for what
 * would harm a terminal. */
#ifndef CKAM_TARGET_PROTOCOL_H
#define CKAM_TARGET_PROTOCOL_H

#include "target/engine.h"

/* The first line of a program: "ckam 1 params mu, tau > 0 ; derived a, b[3] ; binary". */
typedef struct greeting {
    params params, derived;
    bool   binary;
} greeting;

/* Whether a line is meant as one, right or wrong. */
bool        greeting_is(const char *line);
ckam_status greeting_read(greeting *g, const char *line, size_t length, ckam_error *error);
void        greeting_free(greeting *g);
/* Whether it says the same as --params, and nothing that --params hides; else why is filled. */
bool greeting_agrees(greeting *g, const params *declared, char *why);

/* A line of 1 + derived numbers, or "reject TEXT", or "stop TEXT". */
engine_answer answer_read(const char *line, size_t length, size_t derived, double *value, double *out, char *why);
/* The same of `stop` alone: false if the line is another one. */
bool answer_is_stop(const char *line, char *why);

/* text := the line, cut. */
enum { QUOTE_TEXT = 64 };
void quote(const char *line, size_t length, char text[QUOTE_TEXT]);

#endif
