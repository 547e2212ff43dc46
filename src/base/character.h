/* character.h - characters of UTF-8 in text that may come from anywhere, and what a terminal would take for an order. */
#ifndef CKAM_BASE_CHARACTER_H
#define CKAM_BASE_CHARACTER_H

#include <stddef.h>

/* How many bytes the character at `text` has; 0: what is there is not UTF-8. */
size_t character_length(const char *text);
/* How many bytes of `text` come before its first control character, or before a byte that is not UTF-8 and would be one for a
 * terminal of 8 bits; all of them if there is none. */
size_t character_until_control(const char *text);
/* Puts a question mark for every byte that is not UTF-8, as JSON wants none: of another encoding, or of a character that was
 * cut. */
void character_mend(char *text);

#endif
