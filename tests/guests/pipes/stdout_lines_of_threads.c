/* Threads share out jobs and print which they take, in the jobs' order. Which thread prints depends on who is
 * first.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, futex, write
 * source: standard streams; which thread does a piece of work
 */
#include "guest.h"

enum { JOBS = 60, THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static int take(void)
{
    char line[64];
    pthread_mutex_lock(&lock);
    int job = next++;
    int n = sprintf(line, "job %d%.*s\n", job, job * 7 % 23, ".......................");
    if (job < JOBS)
        CHECK(write(STDOUT_FILENO, line, (size_t)n) == n);
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *unused)
{
    for (int job; (job = take()) < JOBS; )
        for (volatile int k = 0; k < 10000 * (job % 4); k++)
            ;
    return unused;
}

int main(void)
{
    run_threads(THREADS, work);
    return guest_done();
}
