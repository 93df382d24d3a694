/* Loops over the clock, and over queries that give the same each time. A timer interrupts them.
 * The guest prints where each signal came, and a hash of all that was read.
 *
 * shows: clock_gettime, gettimeofday, time, newfstatat, getppid
 * source: clocks, also by the vDSO
 */
#include "guest.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

enum { LOOPS = 600, MANY = 9000, MOST = 40 };       /* more than a ring holds */
static volatile long readings;
static long places[MOST];
static struct timespec at_signal[MOST];
static volatile int signals;

static void came(int number)
{
    (void)number;
    if (signals < MOST) {
        places[signals] = readings;
        clock_gettime(CLOCK_MONOTONIC, &at_signal[signals]);
        signals++;
    }
}

static unsigned long hash;

static void mix(long one, long other)
{
    hash = (hash ^ (unsigned long)one) * 0x100000001b3UL;
    hash = (hash ^ (unsigned long)other) * 0x100000001b3UL;
}

int main(void)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    struct timespec now, last = {0, 0};
    struct timeval day;
    struct stat st;
    signal(SIGALRM, came);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < MANY; i++) {
        CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
        readings++;
        CHECK(now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec >= last.tv_nsec));
        last = now;
        mix(now.tv_sec, now.tv_nsec);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    for (int i = 0; i < LOOPS; i++) {
        CHECK(clock_gettime(i % 100 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now) == 0);
        mix(now.tv_sec, now.tv_nsec);
    }
    for (int i = 0; i < LOOPS; i++) {
        CHECK(gettimeofday(&day, NULL) == 0);
        mix(day.tv_sec, day.tv_usec);
        if (i % 100 == 0)
            mix(time(NULL), syscall(SYS_time, NULL));
    }
    for (int i = 0; i < LOOPS; i++) {
        CHECK(stat(i % 100 ? "/" : "/tmp", &st) == 0);
        mix(getppid(), (long)st.st_ino);
    }
    for (int i = 0; i < signals; i++)
        printf("signal after %ld readings, at %ld.%09ld\n", places[i], (long)at_signal[i].tv_sec, at_signal[i].tv_nsec);
    printf("last %ld.%09ld, hash %lx\n", (long)last.tv_sec, last.tv_nsec, hash);
    return guest_done();
}
