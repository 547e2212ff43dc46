/* netcdf.h - the CSV files of a run as one NetCDF file that ArviZ opens as InferenceData.
 *
 * The NetCDF library is loaded on demand: loading takes 10 ms and 10 MB, and a user who does not want the file need not
 * install it. A build without its headers has netcdf_none.c, which refuses, in place of netcdf.c. The library is not
 * thread-safe: a lock lets one thread at a time in here. */
#ifndef CKAM_DRAWS_NETCDF_H
#define CKAM_DRAWS_NETCDF_H

#include "base/file.h"
#include "ckam.h"

enum { NETCDF_NAME_MOST = 256 }; /* letters of a column's name */

/* The default of the setting `format`, as a list of one word: with NetCDF where this ckam can write it. */
extern const char *const netcdf_default_format[2];

/* Whether this ckam was built with NetCDF: without it CKAM_ERROR_OPTION, to be asked before a run begins. */
ckam_status netcdf_check(ckam_error *error);

/* Numbers about all draws: attributes of the file and of its posterior. */
typedef struct netcdf_note {
    const char *name;
    double      value;
} netcdf_note;

/* Writes `path` from the files of `directory`, both of them in `in`: aside, synced, renamed. Chains are cut to the shortest.
 * Memory does not grow with the number of rows. `name` is that of the model, `created` an ISO 8601 time. */
ckam_status netcdf_write(const open_directory *in, const char *directory, const char *path, const char *name,
                         const char *created, const netcdf_note *notes, size_t count, ckam_error *error);
/* The same with the library in the file `library`. */
ckam_status netcdf_write_with(const char *library, const open_directory *in, const char *directory, const char *path,
                              const char *name, const char *created, const netcdf_note *notes, size_t count,
                              ckam_error *error);

/* Adds numbers to an existing file: in a copy, which is synced and renamed over it. CKAM_OK, and nothing is done, where
 * there is no such file. */
ckam_status netcdf_annotate(const open_directory *in, const char *path, const netcdf_note *notes, size_t count,
                            ckam_error *error);

#endif
