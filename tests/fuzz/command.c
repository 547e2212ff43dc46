/* command.c - the command line, a line an argument, through the command's main. Each command reads its arguments by
 * request_read(); here that is where it ends, so nothing is run. */
#include "cli.h"
#include "fuzz.h"

#include <locale.h>

int command_main(int count, char **arguments);
/* The linker puts this one in the place of request_read(), which has the other name. */
bool __real_request_read(request *r, const command_line *line, int count, char **arguments, int *status);
bool __wrap_request_read(request *r, const command_line *line, int count, char **arguments, int *status);

enum { ARGUMENTS_MOST = 64, SAID = 1 << 16 };
static char  said[SAID];
static char *first, *last; /* of the text that the arguments are in */

/* A text is a piece of the arguments, or one of ours. */
static bool is_given(const char *text) { return (first <= text && text <= last) || !strcmp(text, "true"); }

bool __wrap_request_read(request *r, const command_line *line, int count, char **arguments, int *status) {
    bool go = __real_request_read(r, line, count, arguments, status);
    DEMAND(!go || *status == EX_OK);
    DEMAND(*status == EX_OK || *status == EX_USAGE);
    for (size_t i = 0; go && i < r->words; i++) DEMAND(is_given(r->word[i]));
    for (size_t i = 0; go && i < r->settings; i++) {
        DEMAND(is_given(r->setting[i].value));
        DEMAND(request_value(r, r->setting[i].name));
    }
    return false;
}

/* What is said goes to memory; libFuzzer has kept the stream that it writes to. */
static void hear(void) {
    static FILE *heard;
    if (!heard) {
        heard = fmemopen(said, sizeof said, "w");
        DEMAND(heard && freopen("/dev/null", "w", stdout));
    }
    rewind(heard);
    memset(said, 0, strlen(said));
    stderr = heard;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static FILE *terminal;
    char        *text = text_of(bytes, size), *arguments[ARGUMENTS_MOST + 2] = {text, NULL}, *rest = text;
    int          count = 1;
    if (!terminal) terminal = stderr;
    first = text;
    last = text + strlen(text);
    while (rest && count <= ARGUMENTS_MOST) {
        arguments[count++] = rest;
        rest = strchr(rest, '\n');
        if (rest) *rest++ = 0;
    }
    arguments[count] = NULL;
    hear();
    int status = command_main(count, arguments);
    fflush(stderr);
    stderr = terminal;
    size_t length = strlen(said);
    DEMAND(status == EX_OK || status == EX_USAGE);
    DEMAND((status == EX_OK) == !length);
    if (status && size < SAID / 2) DEMAND(!strncmp(said, "ckam", 4) && said[length - 1] == '\n');
    free(text);
    return 0;
}
