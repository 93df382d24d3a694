/* A parent takes one SIGCHLD at a time by sigsuspend, as a shell does. All note in shared memory when they ran.
 *
 * run: racing, serialized
 * engine: native (--serialize)
 * shows: clock_nanosleep, clone, getppid, mmap, rt_sigprocmask, rt_sigsuspend, wait4
 * source: order of threads, one at a time; ends and statuses of children
 */
#include "guest.h"
#include <sys/mman.h>

enum { CHILDREN = 8, MOST = 200 };
static struct { int used, by[MOST]; } *notes;
static void on_end(int s) { (void)s; }
static void note(int who)
{
    if (notes->used < MOST)
        notes->by[notes->used++] = who;
}
static void work(int child)
{
    for (int i = 0; i < 4; i++) {
        nap_ms(child % 3);
        note(child);
        getppid();
    }
    _exit(0);
}
int main(void)
{
    sigset_t block, before;
    struct sigaction a = {.sa_handler = on_end};
    int left = CHILDREN;
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    CHECK(sigaction(SIGCHLD, &a, NULL) == 0 && sigprocmask(SIG_BLOCK, &block, &before) == 0);
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(notes != MAP_FAILED);
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0)
            work(i);
    while (left) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        CHECK(ended >= 0);
        left -= ended > 0;
        note(CHILDREN);
        if (!ended)
            CHECK(sigsuspend(&before) == -1 && errno == EINTR);
    }
    for (int i = 0; i < notes->used; i++)
        printf("%d", notes->by[i]);
    puts("");
    return guest_done();
}
