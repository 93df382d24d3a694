/* Processes contend for a robust priority-inheriting lock in shared memory. Some processes and threads end while
 * they hold it.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, futex, mmap
 * source: locks; shared memory, mapped files
 */
#include "guest.h"
#include <semaphore.h>

enum { WORKERS = 4, ROUNDS = 100 };
static struct shared { pthread_mutex_t lock; int count, died; } *shared;
static sem_t is_held;
static int take(void)
{
    int error = pthread_mutex_lock(&shared->lock);
    CHECK(error == 0 || error == EOWNERDEAD);
    if (error) {
        shared->died++;
        CHECK(pthread_mutex_consistent(&shared->lock) == 0);
    }
    return error;
}
static void work(int worker)
{
    for (int i = 0; i < ROUNDS; i++) {
        take();
        int before = shared->count;
        for (volatile int k = 0; k < 100 * (i % 5); k++) {
        }
        shared->count = before + 1;
        if (i == ROUNDS - 1 && worker % 2)
            _exit(0);
        CHECK(pthread_mutex_unlock(&shared->lock) == 0);
    }
    _exit(0);
}
static void *hold(void *arg)
{
    take();
    sem_post(&is_held);
    nap_ms(10);                           /* the others wait by now */
    return arg;
}
static void *wait_for_it(void *arg)
{
    while (sem_wait(&is_held))
        ;
    take();
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
    return arg;
}
int main(void)
{
    pthread_mutexattr_t a;
    pthread_t one, two;
    pid_t pid[WORKERS];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED && pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0 && pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0 && pthread_mutex_init(&shared->lock, &a) == 0);
    for (int i = 0; i < WORKERS; i++)
        if ((pid[i] = fork()) == 0)
            work(i);
    for (int i = 0; i < WORKERS; i++)
        CHECK(wait_for(pid[i]) == 0);
    take();
    printf("%d, %d died\n", shared->count, shared->died);
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
    CHECK(sem_init(&is_held, 0, 0) == 0);
    CHECK(pthread_create(&one, NULL, hold, NULL) == 0 && pthread_create(&two, NULL, wait_for_it, NULL) == 0);
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    printf("%d died\n", shared->died);
    return guest_done();
}
