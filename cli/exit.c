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
    case CKAM_ERROR_MEMORY:
    case CKAM_ERROR_START:
    case CKAM_ERROR_INFINITE:
    case CKAM_ERROR_SCALE:
    case CKAM_ERROR_ORDER:
    case CKAM_ERROR_TARGET:
    case CKAM_ERROR_BLAS:
    case CKAM_ERROR_RANGE:
        return EX_SOFTWARE;
    }
    return EX_SOFTWARE;
}

/* What was said before comes before it. */
__attribute__((format(printf, 2, 0))) static void speak(const char *command, const char *format, va_list arguments) {
    (void)fflush(stdout);
    fprintf(stderr, "ckam%s%s: ", *command ? " " : "", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int complain(const char *command, int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (together_speaks())
        speak(command, format, arguments);
    else
        together_note(status, format, arguments);
    va_end(arguments);
    return status;
}

int complain_error(const char *command, const ckam_error *error) {
    return complain(command, exit_status(error->status), "%s", error->message);
}
