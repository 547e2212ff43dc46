/* netcdf_none.c - the functions of netcdf.h in a ckam that was built without NetCDF: nothing is written, and the error says what to do. */
#include "draws/netcdf.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

const char *const netcdf_default_format[2] = {"csv", NULL};

ckam_status netcdf_check(ckam_error *error) {
    return fail_with(
        error, CKAM_ERROR_OPTION,
        "this ckam was built without NetCDF and writes CSV files only: use format csv, or build ckam with the "
        "NetCDF library (Debian's package libnetcdf-dev)");
}

ckam_status netcdf_write(const open_directory *in, const char *directory, const char *path, const char *name,
                         const char *created, const netcdf_note *notes, size_t count, ckam_error *error) {
    (void)in, (void)directory, (void)path, (void)name, (void)created, (void)notes, (void)count;
    return netcdf_check(error);
}

/* A run that another build of ckam wrote may have a draws.nc. */
ckam_status netcdf_annotate(const open_directory *in, const char *path, const netcdf_note *notes, size_t count,
                            ckam_error *error) {
    struct stat about;
    char        shown[FILE_SHOWN];
    (void)notes, (void)count;
    if (fstatat(file_directory(in), path, &about, AT_SYMLINK_NOFOLLOW) && errno == ENOENT) return CKAM_OK;
    file_show(in, path, shown);
    return fail_with(
        error, CKAM_ERROR_OUTPUT,
        "%s stays as it is: this ckam was built without NetCDF; build it with the NetCDF library (Debian's "
        "package libnetcdf-dev), or remove the file",
        shown);
}
