/* Reads the time-stamp counter, which no system call guards.
 *
 * shows: clone, rdtsc
 * source: time-stamp counter
 */
#include "guest.h"
#include <x86intrin.h>

int main(void)
{
    unsigned aux, long_ago = 0;
    unsigned long long last = 0;
    for (int i = 0; i < 5; i++) {
        unsigned long long first = __rdtsc(), second = __rdtscp(&aux);
        CHECK(first > last && second > first);
        last = second;
        printf("tsc %llu %llu aux %u\n", first, second, aux + long_ago);
    }
    pid_t child = fork();
    if (child == 0) {
        printf("in the child %llu\n", (unsigned long long)__rdtsc());
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    printf("after it %llu\n", (unsigned long long)__rdtsc());
    return guest_done();
}
