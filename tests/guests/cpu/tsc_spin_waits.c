/* Idle threads read the counter and look at memory until work comes or time is up. A signal or the process's end
 * may also end that.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, kill, rdtsc, setitimer, wait4
 * source: time-stamp counter; which thread does a piece of work
 */
#include "guest.h"
#include <stdatomic.h>

enum { ROUNDS = 8 };
static volatile long work, results[ROUNDS + 1];

/* Until the word is another one, or so many ticks are over; the last reading. */
static __attribute__((noinline)) uint64_t poll_for(volatile long *word, long was, uint64_t ticks)
{
    uint64_t low, high, begin;
    __asm__ volatile("rdtsc\n shl $32, %%rdx\n or %%rdx, %%rax\n" : "=a"(begin) : : "rdx", "cc");
    __asm__ volatile("1: cmp %3, (%2)\n jne 2f\n nop\n nop\n rdtsc\n nop\n nop\n shl $32, %%rdx\n or %%rdx, %%rax\n mov %%rax, %%rdx\n"
                     "sub %4, %%rdx\n cmp %5, %%rdx\n jb 1b\n 2: mov %%rax, %0\n"
                     : "=r"(low), "=&d"(high) : "r"(word), "r"(was), "r"(begin), "r"(ticks) : "rax", "cc", "memory");
    return low;
}

static void *serve(void *unused)
{
    for (long done = 0; done < ROUNDS; ) {
        poll_for(&work, done, UINT64_MAX);
        done++;
        results[done] = done * done;
        atomic_thread_fence(memory_order_seq_cst);
        *(volatile long *)&results[0] = done;
    }
    return unused;
}

static void *poll_for_ever(void *unused)
{
    static volatile long never;
    for (;;)
        poll_for(&never, 0, UINT64_MAX);
    return unused;
}

static void on_alarm(int number)
{
    static const char said[] = "alarm\n";
    work = -number;
    CHECK(write(1, said, sizeof said - 1) > 0);
}

static void ask_thread(void)
{
    pthread_t server;
    CHECK(pthread_create(&server, NULL, serve, NULL) == 0);
    for (int i = 1; i <= ROUNDS; i++) {
        usleep(i % 2 ? 300 : 9000);
        work = i;
        while (results[0] != i)
            usleep(100);
        printf("%ld\n", results[i]);
    }
    CHECK(pthread_join(server, NULL) == 0);
}

int main(void)
{
    ask_thread();
    uint64_t from = poll_for(&work, ROUNDS, 1), to = poll_for(&work, ROUNDS, 20000000);
    printf("waited for %llu from %llu\n", (unsigned long long)(to - from), (unsigned long long)from);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 20000}}, NULL);
    to = poll_for(&work, ROUNDS, UINT64_MAX);
    printf("%ld at %llu\n", work, (unsigned long long)to);
    int status;
    pid_t child = fork();
    if (!child)
        poll_for_ever(NULL);
    usleep(20000);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    printf("child %x\n", status);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, poll_for_ever, NULL) == 0);
    usleep(20000);
    return guest_done();
}
