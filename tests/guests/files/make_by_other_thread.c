/* One thread makes and removes names that depend on timing. In a replay another thread does that, which did
 * nothing when recorded.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, mkdir, rmdir, unlink
 * source: names, renames, files without a name; which thread does a piece of work
 */
#include "guest.h"
enum { JOBS = 4, MS = 1000000 };

static unsigned long pace;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int jobs, done;

static void make(int job)
{
    char path[40];
    snprintf(path, sizeof path, "part-%lu-%d", pace, job);
    put_file(path, "some bytes");
    CHECK(unlink(path) == 0 && unlink(path) == -1 && errno == ENOENT);
    snprintf(path, sizeof path, "made-%lu-%d", pace, job);
    CHECK(mkdir(path, 0755) == 0 && rmdir(path) == 0);
}

static void *run(void *is_late)
{
    if (is_late)
        wait_in_vain(60 * MS);
    else
        nap_ms(30);
    pthread_mutex_lock(&lock);
    while (jobs < JOBS)
        make(jobs++);
    done++;
    pthread_cond_signal(&is_done);
    for (;;)
        pthread_cond_wait(&never, &lock);
    return is_late;
}

int main(void)
{
    pthread_t thread;
    pace = guest_pace();
    for (intptr_t i = 0; i < 2; i++)
        CHECK(pthread_create(&thread, NULL, run, (void *)i) == 0);
    pthread_mutex_lock(&lock);
    while (done < 2)
        pthread_cond_wait(&is_done, &lock);
    pthread_mutex_unlock(&lock);
    printf("%d made\n", jobs);
    return guest_done();
}
