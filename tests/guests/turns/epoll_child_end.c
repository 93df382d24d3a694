/* A child ends, without a handler, while threads wait by epoll. Such a wait is restarted, and the next turn is as
 * recorded.
 *
 * run: racing, serialized
 * engine: native (threads)
 * shows: clone, clone3, epoll_create1, epoll_ctl, epoll_wait, pipe2, read
 * source: order of threads, one at a time; ends and statuses of children
 */
#include "guest.h"
#include "order.h"

#include <sys/epoll.h>

enum { ROUNDS = 20 };

static int tell[2], heard;

static void *listen_all(void *name)
{
    struct epoll_event e = {.events = EPOLLIN};
    char byte;
    int queue = epoll_create1(0);
    CHECK(queue >= 0 && epoll_ctl(queue, EPOLL_CTL_ADD, tell[0], &e) == 0);
    while (__atomic_load_n(&heard, __ATOMIC_SEQ_CST) < ROUNDS) {
        CHECK(epoll_wait(queue, &e, 1, 300) >= 0);
        if (read(tell[0], &byte, 1) == 1) {
            __atomic_fetch_add(&heard, 1, __ATOMIC_SEQ_CST);
            note(*(char *)name);
        }
    }
    return NULL;
}

static void *start_children(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        CHECK(wait_for(child) == 0);
        note('s');
        CHECK(write(tell[1], "x", 1) == 1);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    CHECK(pipe2(tell, O_NONBLOCK) == 0);
    CHECK(pthread_create(&threads[0], NULL, start_children, NULL) == 0 && pthread_create(&threads[1], NULL, listen_all, "b") == 0);
    listen_all("a");
    CHECK(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    puts(order);
    return guest_done();
}
