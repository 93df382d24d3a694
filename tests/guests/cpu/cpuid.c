/* Prints what cpuid returns. On one machine it is the same each time, except the core's id.
 *
 * shows: cpuid
 * source: cpuid, processors, affinity
 */
#include "guest.h"
#include <cpuid.h>

int main(void)
{
    unsigned a, b, c, d;
    char name[13] = "";
    CHECK(__get_cpuid(0, &a, &b, &c, &d));
    memcpy(name, &b, 4);
    memcpy(name + 4, &d, 4);
    memcpy(name + 8, &c, 4);
    printf("vendor %s leaves %u\n", name, a);
    CHECK(__get_cpuid(1, &a, &b, &c, &d));
    printf("model %x features %x %x\n", a, c & ~(1u << 27), d);
    CHECK(__get_cpuid_count(7, 0, &a, &b, &c, &d));
    printf("more %x\n", b);
    printf("avx2 %d\n", __builtin_cpu_supports("avx2") != 0);
    return guest_done();
}
