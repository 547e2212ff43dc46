/* stan_symbol.c - a shared object that is taken for a Stan model by the name of its only function. */
int bs_model_construct(void);
int bs_model_construct(void) { return 0; }
