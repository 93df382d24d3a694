/* Threads and a process pass numbers through POSIX message queues, and wait by poll, select and epoll. The results
 * do not depend on order.
 *
 * run: racing
 * engine: native (threads)
 * shows: epoll_create1, epoll_ctl, epoll_wait, getpid, mq_open, mq_timedreceive, mq_timedsend, mq_unlink, poll, pselect6
 * source: System V IPC, POSIX message queues; poll, select, epoll
 */
#include "guest.h"
#include <mqueue.h>
#include <sys/epoll.h>
#include <sys/select.h>

enum { NODES = 4, TURNS = 30 };
static mqd_t queue[NODES + 1];

static void await(mqd_t q, int how)
{
    struct pollfd p = {q, POLLIN, 0};
    struct epoll_event event = {.events = EPOLLIN};
    fd_set set;
    int poller;
    switch (how % 3) {
    case 0:
        CHECK(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
        break;
    case 1:
        FD_ZERO(&set);
        FD_SET(q, &set);
        CHECK(select(q + 1, &set, NULL, NULL, NULL) == 1);
        break;
    default:
        poller = epoll_create1(0);
        CHECK(poller >= 0 && epoll_ctl(poller, EPOLL_CTL_ADD, q, &event) == 0 && epoll_wait(poller, &event, 1, -1) == 1 && close(poller) == 0);
    }
}

static void *node(void *number)
{
    int n = (int)(intptr_t)number;
    long value;
    for (int i = 0; i < TURNS; i++) {
        await(queue[n], n + i);
        CHECK(mq_receive(queue[n], (char *)&value, sizeof value, NULL) == sizeof value);
        value = value * 3 + n;
        CHECK(mq_send(queue[n + 1], (const char *)&value, sizeof value, 0) == 0);
    }
    return NULL;
}

int main(void)
{
    struct mq_attr a = {.mq_maxmsg = 5, .mq_msgsize = sizeof(long)};
    pthread_t thread[NODES];
    long value;
    for (int n = 0; n <= NODES; n++) {
        char name[32];
        snprintf(name, sizeof name, "/guest%d.%d", getpid(), n);
        CHECK((queue[n] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a)) >= 0 && mq_unlink(name) == 0);
    }
    pid_t child = fork();
    if (child == 0) {
        node((void *)(intptr_t)1);
        _exit(0);
    }
    for (int n = 0; n < NODES; n++)
        if (n != 1)
            CHECK(pthread_create(&thread[n], NULL, node, (void *)(intptr_t)n) == 0);
    for (int i = 0; i < TURNS; i++) {
        value = i;
        CHECK(mq_send(queue[0], (const char *)&value, sizeof value, 0) == 0);
        if (i % 5 == 4)
            for (int k = 0; k < 5; k++) {
                await(queue[NODES], i + k);
                CHECK(mq_receive(queue[NODES], (char *)&value, sizeof value, NULL) == sizeof value);
                printf("%ld\n", value);
            }
    }
    for (int n = 0; n < NODES; n++)
        if (n != 1)
            CHECK(pthread_join(thread[n], NULL) == 0);
    CHECK(wait_for(child) == 0);
    return guest_done();
}
