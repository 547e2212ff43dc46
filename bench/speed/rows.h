/* rows.h - the groups of rows of the table; each is a file of its own. */
#ifndef CKAM_BENCH_ROWS_H
#define CKAM_BENCH_ROWS_H

void rows_of_steps(void);    /* steps.c: what a sampler adds to the density */
void rows_of_kernels(void);  /* kernels.c: KAM beside the formulas as they stand in textbooks */
void rows_of_growth(void);   /* growth.c: how cost grows with the dimension */
void rows_of_commands(void); /* commands.c: runs, threads, start-up */

#endif
