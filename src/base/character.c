/* character.c - see character.h. */
#include "base/character.h"

#include <stdbool.h>

/* Overlong forms, surrogates and what is beyond U+10FFFF are not UTF-8. The final 0 ends every test in time. */
size_t character_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) return 1;
    size_t   count = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[0] < 0xc2 || s[0] > 0xf4 || s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < count; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return count;
}

/* U+0080 .. U+009F are 0xc2 and then that byte. */
static bool controls(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char  byte = s[0] == 0xc2 ? s[1] : s[0];
    return s[0] < ' ' || s[0] == 0x7f || (byte >= 0x80 && byte <= 0x9f);
}

size_t character_until_control(const char *text) {
    size_t count = 0;
    while (text[count] && !controls(text + count)) {
        size_t length = character_length(text + count);
        count += length ? length : 1;
    }
    return count;
}

void character_mend(char *text) {
    while (*text) {
        const size_t length = character_length(text);
        if (!length) *text = '?';
        text += length ? length : 1;
    }
}
