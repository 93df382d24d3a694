/* Processes end while their threads wait for the turn. A waiting parent continues where it did when recorded.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, futex, getppid
 * source: order of threads, one at a time
 */
#include "guest.h"
#include "order.h"

enum { ROUNDS = 12, MATES = 3 };

static int is_over;

static void *ask(void *unused)
{
    for (;;)
        getppid();
    return unused;
}

static void end_beside_mates(void)
{
    pthread_t thread;
    for (int i = 0; i < MATES; i++)
        CHECK(pthread_create(&thread, NULL, ask, NULL) == 0);
    usleep(1000);
    _exit(0);
}

static void *take_notes(void *unused)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
        note('.');
        usleep(500);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, take_notes, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0)
            end_beside_mates();
        CHECK(wait_for(child) == 0);
        note('w');
    }
    is_over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    puts(order);
    return guest_done();
}
