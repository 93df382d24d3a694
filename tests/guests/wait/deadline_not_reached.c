/* An event loop waits for data until a deadline. The data comes before, also in a slower replay.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_gettime, clock_nanosleep, clone3, pipe2, poll, read
 * source: poll, select, epoll; clocks, also by the vDSO
 */
#include "guest.h"
#include <poll.h>

enum { ROUNDS = 12, TAKES_MS = 50, LIMIT_MS = 200 };
static int questions[2], answers[2];

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void *answer(void *arg)
{
    char c;
    while (read(questions[0], &c, 1) == 1) {
        nap_ms(TAKES_MS);
        CHECK(write(answers[1], &c, 1) == 1);
    }
    return arg;
}

/* True: something has come. */
static int waits_until(long until)
{
    struct pollfd p = {.fd = answers[0], .events = POLLIN};
    for (long now = now_us(); now < until; now = now_us())
        if (poll(&p, 1, (int)((until - now + 999) / 1000)) == 1)
            return 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    char c;
    CHECK(pipe(questions) == 0 && pipe(answers) == 0 && pthread_create(&thread, NULL, answer, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(write(questions[1], "q", 1) == 1);
        printf("%d %s\n", i, waits_until(now_us() + LIMIT_MS * 1000) ? "in time" : "late");
        CHECK(read(answers[0], &c, 1) == 1);
    }
    close(questions[1]);
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}
