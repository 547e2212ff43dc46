/* report.c - the page of a stranger's run: chain_1.csv, and after a 0 byte run.json. Nothing of it becomes markup: the page has as
 * many script elements as one of harmless draws. */
#include "base/file.h"
#include "fuzz.h"

static size_t count_scripts(const char *path) {
    char  *text;
    size_t size, count = 0;
    DEMAND(!file_read(NULL, path, &text, &size, NULL));
    for (const char *at = text; (at = strstr(at, "script")); at++)
        count += at > text + 1 && at[-1] == '/' && at[-2] == '<';
    free(text);
    return count;
}

static ckam_status write_page(const uint8_t *bytes, size_t size, ckam_error *error) {
    const char    *directory = folder();
    const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
    size_t         length = end ? (size_t)(end - bytes) : size;
    char           out[300];
    put_file("chain_1.csv", bytes, length);
    unlink(in_folder("run.json"));
    if (end) put_file("run.json", end + 1, size - length - 1);
    snprintf(out, sizeof out, "%s", in_folder("report.html"));
    return ckam_report_write(&directory, 1, NULL, out, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char harmless[] = "lp__,x\n1,2\n2,3\n3,1\n4,2\n";
    static size_t     scripts;
    ckam_error        error = {.message = ""};
    if (!scripts) {
        DEMAND(!write_page((const uint8_t *)harmless, sizeof harmless - 1, &error));
        scripts = count_scripts(in_folder("report.html"));
        DEMAND(scripts > 0);
    }
    ckam_status status = write_page(bytes, size, &error);
    if (status) demand_error(status, &error);
    if (!status) DEMAND(count_scripts(in_folder("report.html")) == scripts);
    return 0;
}
