/* Threads watch children by pidfds, whose numbers they race for. The children may have ended.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone, clone3, pidfd_open, poll, waitid
 * source: ends and statuses of children; descriptor numbers
 */
#include "guest.h"

#include <sys/syscall.h>

enum { WATCHERS = 3, ROUNDS = 6 };

static int codes[WATCHERS];

static void nap(unsigned longest)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    usleep((unsigned)now.tv_nsec / 64 % longest);
}

static void *watch(void *own)
{
    int *code = own;
    for (int i = 0; i < ROUNDS; i++) {
        struct pollfd asked = {.events = POLLIN};
        siginfo_t info = {0};
        pid_t child = fork();
        if (child == 0)
            _exit(i + 1);
        nap(4000);
        asked.fd = (int)syscall(SYS_pidfd_open, child, 0);
        CHECK(asked.fd >= 0);
        nap(2000);
        while (poll(&asked, 1, 10) <= 0) {
        }
        CHECK(asked.revents == POLLIN && waitid(P_PID, (id_t)child, &info, WEXITED) == 0);
        close(asked.fd);
        *code = *code * 7 + info.si_status;
    }
    return NULL;
}

int main(void)
{
    pthread_t watchers[WATCHERS];
    for (int k = 0; k < WATCHERS; k++)
        pthread_create(&watchers[k], NULL, watch, &codes[k]);
    for (int k = 0; k < WATCHERS; k++) {
        pthread_join(watchers[k], NULL);
        printf("watcher %d: %d\n", k, codes[k]);
    }
    return guest_done();
}
