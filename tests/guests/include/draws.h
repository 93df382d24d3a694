/* Work that takes longer in a replay, where each draw of a process with threads stops. */
#ifndef DRAWS_H
#define DRAWS_H

#include <sys/random.h>

static unsigned char draw_often(int count)
{
    unsigned char some[8], all = 0;
    for (int i = 0; i < count; i++) {
        CHECK(getrandom(some, sizeof some, 0) == sizeof some);
        all ^= some[i % 8];
    }
    return all;
}

#endif
