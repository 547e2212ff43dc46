/* number.c - see number.h.
 *
 * Writing follows R. Giulietti, "The Schubfach way to render doubles" (2020); reading follows D. Lemire, "Number
 * parsing at a gigabyte per second" (2021). Both need 10^e to 128 bits, and one product with it. */
#include "base/number.h"

#include "base/fastmath.h"
#include "base/powers_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define HIDDEN_BIT ((uint64_t)1 << 52) /* the leading bit of a normal number, which is not stored */

/* floor(log2(10^e)), for |e| < 1200. */
static int log2_of_power(int e) { return (e * 1741647) >> 19; }

/* -- Writing ------------------------------------------------------------------------------------------------------ */

/* digits 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int      exponent;
} decimal;

/* floor(g c / 2^128), its last bit set where something was cut off: enough to compare it with whole numbers. */
static uint64_t scaled(wide g, uint64_t c) {
    wide low = (wide)(uint64_t)g * c, high = (g >> 64) * c + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal in the interval that is rounded to c 2^q, and the nearest one of these. All is compared in
 * quarters of 10^k, where 10^k <= the interval's length < 10^(k+1): some multiple of 10^k is inside, and at most one of
 * 10^(k+1). Below a power of two (`narrow`) the interval is shorter on the left. */
static decimal shortest(uint64_t c, int q, bool narrow) {
    int      k = (q * 1262611 - (narrow ? 524031 : 0)) >> 22; /* floor(log10(2^q)), or of 3/4 2^q */
    int      h = q + log2_of_power(-k) + 1, at = -k - POWERS_FIRST;
    wide     g = (((wide)powers_of_ten[at].high << 64) | powers_of_ten[at].low) + (k > 0 || -k > POWERS_EXACT);
    uint64_t odd = c & 1; /* ties go to even numbers, so an odd one does not have the ends of its interval */
    uint64_t low = scaled(g, (4 * c - 2 + narrow) << h) + odd, high = scaled(g, (4 * c + 2) << h) - odd;
    uint64_t middle = scaled(g, (4 * c) << h), s = middle / 4, tens = s / 10;
    bool     down = low <= 4 * s, up = 4 * s + 4 <= high, down_ten = low <= 40 * tens, up_ten = 40 * tens + 40 <= high;
    bool     near = middle + (s & 1) > 4 * s + 2; /* the upper one is, or both are as near and it is even */
    up = down == up ? near : up;
    return (decimal){down_ten != up_ten ? 10 * (tens + up_ten) : s + up, k};
}

/* The eight digits of a number below 10^8, the first in the lowest byte. Fields are halved, all of them at once. */
static uint64_t eight_digits(uint64_t number) {
    uint64_t high = number / 10000, fields = high | (number - 10000 * high) << 32;
    high = ((fields * 10486) >> 20) & 0x0000007f0000007f; /* / 100 */
    fields = high | (fields - 100 * high) << 16;
    high = ((fields * 103) >> 10) & 0x000f000f000f000f; /* / 10 */
    return high | (fields - 10 * high) << 8;
}

static void put_eight(uint64_t digits, char *text) {
    digits += 0x3030303030303030;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) digits = __builtin_bswap64(digits);
    memcpy(text, &digits, sizeof digits);
}

/* A number below 10^8, without zeros in front. */
static size_t put_short(uint64_t number, char *text) {
    uint64_t digits = eight_digits(number);
    int      zeros = __builtin_ctzll(digits | (uint64_t)1 << 56) / 8;
    put_eight(digits >> (8 * zeros), text);
    return 8 - (size_t)zeros;
}

/* One below 10^16. */
static size_t put_whole(uint64_t number, char *text) {
    if (number < 100000000) return put_short(number, text);
    size_t length = put_short(number / 100000000, text);
    put_eight(eight_digits(number % 100000000), text + length);
    return length + 8;
}

static size_t put_exponent(int exponent, char *text) {
    size_t   length = 2;
    unsigned size = (unsigned)abs(exponent);
    text[0] = 'e';
    text[1] = exponent < 0 ? '-' : '+';
    if (size >= 100) text[length++] = (char)('0' + size / 100);
    if (size >= 10) text[length++] = (char)('0' + size / 10 % 10);
    text[length++] = (char)('0' + size % 10);
    return length;
}

/* At most 17 digits. More than the text is written, in pieces of a fixed size, which is faster. */
static size_t put_decimal(decimal d, char *text) {
    const uint64_t eight = 100000000;
    while (d.digits < eight * eight / 10) d = (decimal){10 * d.digits, d.exponent - 1};
    bool sixteen = d.digits < eight * eight; /* as likely as 17 digits, so not a branch */
    d = (decimal){d.digits * (sixteen ? 10 : 1), d.exponent - sixteen};
    uint64_t nine = d.digits / eight, left = eight_digits(nine % eight), right = eight_digits(d.digits % eight);
    int      count = right ? 17 - __builtin_clzll(right) / 8 : left ? 9 - __builtin_clzll(left) / 8 : 1;
    int      power = d.exponent + 16; /* of the first digit */
    char     first = (char)('0' + nine / eight);
    if (-5 <= power && power < 0) {
        memcpy(text, "0.0000", sizeof "0.0000");
        text[1 - power] = first;
        put_eight(left, text + 2 - power);
        put_eight(right, text + 10 - power);
        return (size_t)(count + 1 - power);
    }
    bool plain = 0 <= power && power < 17;
    int  before = plain ? power + 1 : 1; /* digits before the point */
    text[0] = first;
    put_eight(left, text + 2);
    put_eight(right, text + 10);
    for (int i = 1; i < before; i++) text[i] = text[i + 1];
    text[before] = '.';
    size_t length = (size_t)(count > before ? count + 1 : before);
    return plain ? length : length + put_exponent(power, text + length);
}

size_t number_put(double number, char *text) {
    uint64_t bits = bits_of(number), fraction = bits & (HIDDEN_BIT - 1);
    int      exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff && fraction) {
        memcpy(text, "nan", sizeof "nan");
        return 3;
    }
    size_t sign = bits >> 63;
    text[0] = '-';
    text += sign;
    if (exponent == 0x7ff) {
        memcpy(text, "inf", sizeof "inf");
        return sign + 3;
    }
    uint64_t c = exponent ? fraction | HIDDEN_BIT : fraction;
    int      q = (exponent ? exponent : 1) - 1075; /* the number is c 2^q */
    if (c == 0 || (-53 < q && q <= 0 && (c & (((uint64_t)1 << -q) - 1)) == 0)) {
        uint64_t whole = c ? c >> -q : 0;
        if (whole > 9) return sign + put_whole(whole, text);
        text[0] = (char)('0' + whole); /* as most columns of a sampler have */
        return sign + 1;
    }
    return sign + put_decimal(shortest(c, q, fraction == 0 && exponent > 1), text);
}

void number_write(double number, char *text, size_t size) {
    char room[NUMBER_TEXT];
    snprintf(text, size, "%.*s", (int)number_put(number, room), room);
}

/* -- Reading ------------------------------------------------------------------------------------------------------ */

enum {
    EXACT_DIGITS = 19, /* so many fit into 64 bits */
    MOST_DIGITS = 800  /* what is behind them only matters by being 0 or not: halfway cases end before */
};

/* digits 10^exponent as the nearest number. The product with the table's power is below the true one by less than 2 in
 * its last bit, or exact where the power has 64 bits. False where this does not tell on which side of a halfway case the
 * number is, and for numbers that are not normal. */
static bool nearest(uint64_t digits, int64_t exponent, double *number) {
    if (digits == 0 || exponent < POWERS_FIRST || exponent > POWERS_LAST) {
        *number = digits == 0 || exponent < 0 ? 0.0 : HUGE_VAL;
        return true;
    }
    int      e = (int)exponent, at = e - POWERS_FIRST, zeros = __builtin_clzll(digits);
    uint64_t factor = digits << zeros, high = powers_of_ten[at].high, low = powers_of_ten[at].low;
    wide     product = (wide)high * factor + (((wide)low * factor) >> 64);
    int      short_by = !(product >> 127), drop = 75 - short_by; /* 53 bits remain */
    int      leading = log2_of_power(e) + 64 - zeros - short_by;
    wide     half = (wide)1 << (drop - 1), rest = product & (2 * half - 1);
    uint64_t kept = (uint64_t)(product >> drop);
    if (leading < -1022 || (low && (rest == half - 1 || rest == half))) return false;
    kept += rest > half || (rest == half && (kept & 1));
    *number = leading > 1023 ? HUGE_VAL : double_of(((uint64_t)(leading + 1022) << 52) + kept);
    return true;
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Eight digits at once, if there are: pairs, then fours, then all. */
static bool scan_eight(const char *text, uint64_t *digits) {
    uint64_t bytes = 0;
    for (int i = 0; i < 8; i++) bytes |= (uint64_t)(unsigned char)text[i] << (8 * i);
    if (((bytes & 0xf0f0f0f0f0f0f0f0) ^ 0x3030303030303030) ||
        ((bytes + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) != 0x3030303030303030)
        return false;
    bytes -= 0x3030303030303030;
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
    *digits = *digits * 100000000 + (uint32_t)(bytes * 10000 + (bytes >> 32));
    return true;
}

/* More than EXACT_DIGITS digits overflow *digits; then it is not used. */
static const char *scan_digits(const char *text, const char *end, uint64_t *digits) {
    while (end - text >= 8 && scan_eight(text, digits)) text += 8;
    for (; text < end && is_digit(*text); text++) *digits = *digits * 10 + (uint64_t)(*text - '0');
    return text;
}

/* The exponent at `text`, if there is one. What is out of every range is cut. */
static const char *scan_exponent(const char *text, const char *end, int64_t *exponent) {
    const char *digit = text + 1;
    *exponent = 0;
    if (text == end || (*text | 0x20) != 'e') return text;
    bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+')) digit++;
    if (digit == end || !is_digit(*digit)) return text;
    for (; digit < end && is_digit(*digit); digit++)
        if (*exponent < 1000000000000000) *exponent = *exponent * 10 + (*digit - '0');
    if (negative) *exponent = -*exponent;
    return digit;
}

/* The hard cases, by strtod(), which is slow. It gets whole digits and an exponent: no locale differs in these. Leading
 * zeros and the point are between `text` and `end` too. */
static double scan_slowly(const char *text, const char *end, int64_t exponent) {
    char   room[MOST_DIGITS + 32];
    size_t count = 0;
    bool   more = false;
    for (; text < end; text++) {
        if (*text == '.' || (*text == '0' && count == 0)) continue;
        if (count < MOST_DIGITS) {
            room[count++] = *text;
        } else {
            exponent++;
            more |= *text != '0';
        }
    }
    if (more) {
        room[count++] = '1';
        exponent--;
    }
    snprintf(room + count, sizeof room - count, "e%lld", (long long)exponent);
    return strtod(room, NULL);
}

static size_t significant(const char *text, const char *end) {
    while (text < end && (*text == '0' || *text == '.')) text++;
    return (size_t)(end - text) - (memchr(text, '.', (size_t)(end - text)) != NULL);
}

/* Without a sign. */
static const char *scan_decimal(const char *text, const char *end, double *number) {
    uint64_t    digits = 0;
    int64_t     exponent, behind = 0;
    const char *last = scan_digits(text, end, &digits);
    ptrdiff_t   count = last - text;
    if (last < end && *last == '.') {
        const char *point = last++;
        last = scan_digits(last, end, &digits);
        behind = last - point - 1;
        count += behind;
    }
    if (count == 0) return NULL;
    const char *behind_all = scan_exponent(last, end, &exponent);
    exponent -= behind;
    bool many = count > EXACT_DIGITS && significant(text, last) > EXACT_DIGITS;
    if (many || !nearest(digits, exponent, number)) *number = scan_slowly(text, last, exponent);
    return behind_all;
}

/* Whether the text begins with a word of three letters, in any case. */
static bool is_word(const char *text, const char *end, const char *word) {
    return end - text >= 3 && (text[0] | 0x20) == word[0] && (text[1] | 0x20) == word[1] && (text[2] | 0x20) == word[2];
}

const char *number_scan(const char *text, const char *end, double *number) {
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    const char *behind = scan_decimal(text, end, number);
    if (!behind && is_word(text, end, "inf")) {
        *number = HUGE_VAL;
        behind = text + 3;
    } else if (!behind && is_word(text, end, "nan")) {
        *number = (double)NAN;
        return text + 3;
    }
    if (behind && negative) *number = -*number;
    return behind;
}

bool number_read(const char *text, double *number) {
    const char *end = text + strlen(text);
    return number_scan(text, end, number) == end;
}
