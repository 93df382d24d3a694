/* A process that read no clock when recorded reads one over and over until another that shares its memory has computed.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clock_gettime, clone, mmap, wait4
 * source: clocks, also by the vDSO; shared memory, mapped files
 */
#include "outside.h"

static volatile int *is_done;

static time_t look(void)
{
    static struct timespec now;
    CHECK(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now) == 0);
    return now.tv_sec;
}

int main(void)
{
    FILE *f = called();
    is_done = shared_page();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            CHECK(look() > 0);
        for (volatile long i = 0; i < 300000000; i++) {
        }
        *is_done = 1;
        _exit(0);
    }
    hear_long(f);
    while (!*is_done) {
        CHECK(look() > 0);
        usleep(5000);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}
