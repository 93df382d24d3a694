#include "guest.h"
/* Threads share out jobs, and say which they take, in lines of another length each, in the order of the jobs: only which thread says it is up
 * to who is first. */
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
