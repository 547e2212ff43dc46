/* settings.c - the words of the choices. */
#include "sampler/settings.h"

const char *const transition_words[] = {"plain", "delayed-rejection", NULL};
const char *const covariance_words[] = {"kernel", "global", NULL};
