/* The mode of this run, its scheduler and the observers: set by main.c and, for --serialize, turns/turns.c. */
#include "mode/mode.h"

const struct mode *run_mode;
const struct scheduler *scheduler;
const struct observer *const *observers;
