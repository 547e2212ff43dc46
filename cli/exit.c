/* exit.c - how a command ends: exit statuses as in sysexits.h, and one line that says why. */
#include "cli.h"

#include <stdarg.h>

int exit_status(ckam_status status) {
    switch (status) {
    case CKAM_OK:
    case CKAM_STOP:
        return EX_OK;
    case CKAM_ERROR_OPTION:
    case CKAM_ERROR_ARGUMENT:
        return EX_USAGE;
    case CKAM_ERROR_FORMAT:
    case CKAM_ERROR_SNAPSHOT:
        return EX_DATAERR;
    case CKAM_ERROR_INPUT:
        return EX_NOINPUT;
    case CKAM_ERROR_OUTPUT:
        return EX_CANTCREAT;
    case CKAM_ERROR_WRITE:
        return EX_IOERR;
    case CKAM_REJECT:
    case CKAM_LATE:
    case CKAM_ERROR_MEMORY:
    case CKAM_ERROR_START:
    case CKAM_ERROR_INFINITE:
    case CKAM_ERROR_SCALE:
    case CKAM_ERROR_ORDER:
    case CKAM_ERROR_TARGET:
    case CKAM_ERROR_RANGE:
        return EX_SOFTWARE;
    }
    return EX_SOFTWARE;
}

int complain(const char *command, int status, const char *format, ...) {
    char    text[QUOTED + DESCRIBE];
    va_list arguments;
    (void)fflush(stdout); /* what was said before comes before it */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (ranks_is_root())
        fprintf(stderr, "ckam%s%s: %s\n", *command ? " " : "", command, text);
    else
        ranks_note_error(status, text);
    return status;
}

int complain_error(const char *command, const ckam_error *error) {
    return complain(command, exit_status(error->status), "%s", error->message);
}
