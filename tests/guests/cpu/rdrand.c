/* Runs rdrand and rdseed into all kinds of registers, in a thread and after a fork.
 *
 * engine: native (threads)
 * shows: clone, clone3, futex, rdrand
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"

#include <cpuid.h>

static unsigned has;

/* The rare case that there is none is tried again, as everywhere. */
#define DRAW(instruction, value) \
    do { \
        unsigned char good = 0; \
        while (!good) \
            __asm__ volatile(instruction " %0; setc %1" : "=r"(value), "=qm"(good) : : "cc"); \
    } while (0)

static void *draw(void *name)
{
    unsigned long wide = 0;
    unsigned usual = 0;
    unsigned short narrow = 0;
    if (has & 1) {
        register unsigned long high __asm__("r12") = 0;
        DRAW("rdrand", wide);
        DRAW("rdrand", usual);
        DRAW("rdrand", narrow);
        DRAW("rdrand", high);
        printf("%s: %lx %x %hx %lx\n", (char *)name, wide, usual, narrow, high);
    }
    if (has & 2) {
        DRAW("rdseed", wide);
        DRAW("rdseed", usual);
        printf("%s: %lx %x\n", (char *)name, wide, usual);
    }
    return NULL;
}

int main(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d))
        has |= c >> 30 & 1;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        has |= (b >> 18 & 1) << 1;
    draw("process");
    pid_t child = fork();
    if (child == 0) {
        draw("child");
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, draw, "thread");
    pthread_join(thread, NULL);
    draw("again");
    puts(TOKEN);
    return 0;
}
