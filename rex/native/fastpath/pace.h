/* What the processor's counter says, reckoned from another clock: by the engine, and by the stub in tracees. */
#ifndef REX_PACE_H
#define REX_PACE_H

#include <stdint.h>

/* By CLOCK_MONOTONIC_RAW: ticks, as that was ns, and on by scale / 2^32 for each. */
struct pace { uint64_t ns, ticks, scale; };

static inline __attribute__((always_inline, no_sanitize("address", "undefined"))) uint64_t ticks_at(const struct pace *pace, uint64_t ns)
{
    __extension__ typedef unsigned __int128 wide;
    return pace->ticks + (uint64_t)((wide)(ns - pace->ns) * pace->scale >> 32);
}

#endif
