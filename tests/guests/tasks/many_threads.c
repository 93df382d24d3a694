/* Many short threads, one after the other and in groups. Some of them start processes.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone, clone3, exit, futex, madvise, set_robust_list
 * source: which thread does a piece of work; fork, clone, exec
 */
#include "guest.h"

static long total;
static void *add(void *arg)
{
    long number = (long)arg;
    if (number % 10 == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(number);
        number = WEXITSTATUS(wait_for(child));
    }
    __atomic_add_fetch(&total, number, __ATOMIC_SEQ_CST);
    return NULL;
}
int main(void)
{
    pthread_t threads[10];
    for (long round = 0; round < 5; round++) {
        for (long i = 0; i < 10; i++)
            CHECK(pthread_create(&threads[i], NULL, add, (void *)(round * 10 + i)) == 0);
        for (int i = 0; i < 10; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        printf("round %ld: %ld\n", round, total);
    }
    return guest_done();
}
