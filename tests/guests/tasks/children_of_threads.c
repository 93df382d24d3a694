/* Two threads take jobs, start a child for each and keep its status by job. In a replay another thread may have
 * the job.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, futex
 * source: which thread does a piece of work; ends and statuses of children
 */
#include "guest.h"

static int next, status[2];
static void take(void)
{
    int job = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
    pid_t child = fork();
    if (child == 0)
        _exit(10 + job);
    status[job] = WEXITSTATUS(wait_for(child));
}
static void *late(void *arg)
{
    wait_in_vain(400000000);
    take();
    return arg;
}
static void *busy(void *arg)
{
    for (volatile long n = 0; n < 40000000; n++) {
    }
    take();
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    CHECK(pthread_create(&threads[0], NULL, late, NULL) == 0 && pthread_create(&threads[1], NULL, busy, NULL) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    printf("job 0: %d, job 1: %d\n", status[0], status[1]);
    CHECK(status[0] == 10 && status[1] == 11);
    return guest_done();
}
