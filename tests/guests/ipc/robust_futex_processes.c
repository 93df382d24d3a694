/* Processes die or exit while they hold a lock in shared memory. The next owner gets EOWNERDEAD.
 *
 * run: racing
 * engine: native (processes that share memory)
 * shows: clone, getpid, tgkill, wait4
 * source: locks; shared memory, mapped files
 */
#include "guest.h"

enum { ROUNDS = 6 };
struct shared { pthread_mutex_t lock; int sum; };
static int locks(struct shared *s)
{
    int error = pthread_mutex_lock(&s->lock);
    if (error == EOWNERDEAD)
        CHECK(pthread_mutex_consistent(&s->lock) == 0);
    return error;
}
static void worker(struct shared *s, int i)
{
    locks(s);
    s->sum += i;
    if (i % 3 == 0)
        kill(getpid(), SIGKILL);
    if (i % 3 == 1)
        abort();
    _exit(i);
}
int main(void)
{
    struct shared *s = shared_page();
    pthread_mutexattr_t how;
    CHECK(pthread_mutexattr_init(&how) == 0 && pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0 && pthread_mutex_init(&s->lock, &how) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0)
            worker(s, i);
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        printf("%x\n", status & ~0x80);
        int error = locks(s);
        printf("%s, %d\n", strerror(error), s->sum);
        CHECK(pthread_mutex_unlock(&s->lock) == 0);
    }
    return guest_done();
}
