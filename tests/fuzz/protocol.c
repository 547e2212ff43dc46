/* protocol.c - what a program writes, through a pipe as it comes from one: a first line, and answers. The first byte says how much
 * is kept of a line that does not end. */
#define _GNU_SOURCE /* pipe2() */
#include "target/protocol.h"
#include "fuzz.h"
#include "target/worker.h"

#include <fcntl.h>

enum { PIPE_MOST = 65536, DERIVED_MOST = 8 };

/* The words of a line, counted and read independently. */
static void demand_numbers(const char *line, size_t derived, double value, const double *out) {
    char  *copy = text_of((const uint8_t *)line, strlen(line)), *rest = NULL;
    size_t count = 0;
    for (char *word = strtok_r(copy, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest), count++) {
        DEMAND(count <= derived);
        DEMAND(same_number(strtod(word, NULL), count ? out[count - 1] : value));
    }
    DEMAND(count == derived + 1);
    free(copy);
}

static void read_answer(const char *line, size_t length, size_t derived) {
    char          why[ENGINE_WHY] = "";
    double        value = 0.0, out[DERIVED_MOST];
    engine_answer answer = answer_read(line, length, derived, &value, out, why);
    DEMAND(answer != ENGINE_FAULT);
    if (answer == ENGINE_VALUE) demand_numbers(line, derived, value, out);
    if (answer == ENGINE_STOP || *why) {
        DEMAND(*why && strnlen(why, sizeof why) < sizeof why);
        for (const char *c = why; *c; c++) DEMAND((unsigned char)*c >= ' ' && *c != 127);
    }
}

/* Returns how many numbers an answer has behind the first. */
static size_t read_greeting(const char *line, size_t length) {
    greeting   g;
    ckam_error error = {.message = ""};
    char       why[ENGINE_WHY];
    if (!greeting_is(line)) return 0;
    ckam_status status = greeting_read(&g, line, length, &error);
    if (status) {
        demand_error(status, &error);
        return 0;
    }
    size_t derived = g.derived.count;
    params declared;
    DEMAND(g.params.count > 0);
    DEMAND(!params_apart(&g.params, &g.derived, "the program", NULL));
    DEMAND(!params_copy(&declared, &g.params, NULL));
    if (!greeting_agrees(&g, &declared, why)) DEMAND(derived || g.binary);
    params_free(&declared);
    greeting_free(&g);
    return derived < DERIVED_MOST ? derived : DERIVED_MOST;
}

/* The same limit as in params.c. */
static bool is_long(const uint8_t *bytes, size_t size) {
    size_t digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = bytes[i] >= '0' && bytes[i] <= '9' ? digits + 1 : 0;
        if (digits > 4 && bytes[i + 1 - digits] != '0' && i + 1 < size && bytes[i + 1] == ']') return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    int    ends[2];
    char  *line, shown[QUOTE_TEXT];
    size_t length, derived = 0;
    if (!size || size > PIPE_MOST || is_long(bytes, size)) return -1;
    worker w = {.to = -1, .most = 64 + (size_t)bytes[0] * 64};
    DEMAND(!pipe2(ends, O_NONBLOCK | O_CLOEXEC));
    DEMAND(write(ends[1], bytes + 1, size - 1) == (ssize_t)(size - 1));
    close(ends[1]);
    w.from = ends[0];
    const uint8_t *place = bytes + 1;
    for (bool first = true; !worker_line(&w, HUGE_VAL, &line, &length); first = false) {
        DEMAND(!memcmp(line, place, length) && place[length] == '\n' && !line[length]);
        place += length + 1;
        quote(line, length, shown);
        DEMAND(strnlen(shown, sizeof shown) < sizeof shown);
        if (first) derived = read_greeting(line, length);
        read_answer(line, length, derived);
    }
    worker_end(&w);
    close(ends[0]);
    return 0;
}
