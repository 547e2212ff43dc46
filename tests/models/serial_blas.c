/* serial_blas.c - not a model: a library with the names of OpenBLAS that says that it was built without threads. */
int         openblas_get_parallel(void);
const char *openblas_get_config(void);
int         openblas_get_num_threads(void);
void        openblas_set_num_threads(int count);
void        cblas_dsyrk(void);
void        dpotrf_(void);

int         openblas_get_parallel(void) { return 0; }
const char *openblas_get_config(void) { return "a serial one"; }
int         openblas_get_num_threads(void) { return 1; }
void        openblas_set_num_threads(int count) { (void)count; }
void        cblas_dsyrk(void) {}
void        dpotrf_(void) {}
