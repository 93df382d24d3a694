/* Threads end as their process executes another program, or exits. How far they were differs.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, execve, getrandom, gettid
 * source: which thread does a piece of work; fork, clone, exec
 */
#include "guest.h"

#include <sys/random.h>

static void *start(void *way)
{
    unsigned char drawn[16];
    long tid = syscall(SYS_gettid);
    CHECK(getrandom(drawn, sizeof drawn, 0) == sizeof drawn);
    for (;;) {
        CHECK(getrandom(drawn, 1, 0) == 1 && syscall(SYS_gettid) == tid && getpid() > 0);
        if (way)
            sched_yield();
    }
}

int main(int argc, char **argv)
{
    char depth[2] = {argc > 1 ? (char)(argv[1][0] + 1) : '1', 0};
    unsigned char drawn[8];
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        CHECK(getrandom(drawn, sizeof drawn, 0) == sizeof drawn);
        printf("%s: %d drew %02x%02x%02x\n", depth, i, drawn[0], drawn[1], drawn[2]);
    }
    CHECK(!pthread_create(&thread, NULL, start, depth[0] % 2 ? depth : NULL));
    if (depth[0] < '7') {
        char *args[] = {argv[0], depth, NULL};
        execv("/proc/self/exe", args);
        CHECK(!"executed");
    }
    return guest_done();
}
