/* Children end, without a handler, while a thread waits for messages. Any thread may take the signal, and no wait
 * ends by it.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, epoll_create1, epoll_ctl, epoll_wait, getpid, mq_open, mq_timedreceive, mq_timedsend, mq_unlink, poll
 * source: ends and statuses of children
 */
#include "guest.h"
#include <mqueue.h>
#include <sys/epoll.h>

enum { ROUNDS = 60 };
static mqd_t queue;
static int turn[2];

static void *say(void *unused)
{
    char byte;
    while (read(turn[0], &byte, 1) == 1) {
        for (int i = 0; i < 40; i++)
            CHECK(access("nothing", F_OK) == -1);
        CHECK(mq_send(queue, &byte, 1, 0) == 0);
    }
    return unused;
}

int main(void)
{
    struct mq_attr a = {.mq_maxmsg = 5, .mq_msgsize = 1};
    struct epoll_event event = {.events = EPOLLIN};
    pthread_t thread;
    char name[32], byte;
    int poller = epoll_create1(0), sum = 0;
    snprintf(name, sizeof name, "/guest%d", getpid());
    CHECK((queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a)) >= 0 && mq_unlink(name) == 0);
    CHECK(pipe(turn) == 0 && epoll_ctl(poller, EPOLL_CTL_ADD, queue, &event) == 0);
    CHECK(pthread_create(&thread, NULL, say, NULL) == 0);
    for (byte = 1; byte <= ROUNDS; byte++) {
        struct pollfd p = {queue, POLLIN, 0};
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        CHECK(write(turn[1], &byte, 1) == 1);
        CHECK(byte % 2 ? poll(&p, 1, -1) == 1 : epoll_wait(poller, &event, 1, -1) == 1);
        CHECK(mq_receive(queue, &byte, 1, NULL) == 1 && wait_for(child) == 0);
        sum += byte;
    }
    CHECK(close(turn[1]) == 0 && pthread_join(thread, NULL) == 0);
    printf("%d\n", sum);
    return guest_done();
}
