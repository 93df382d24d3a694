/* Processes use a POSIX message queue: order, blocking, notification, and timeouts.
 *
 * shows: clock_gettime, clock_nanosleep, getpid, mq_getsetattr, mq_notify, mq_open, mq_timedreceive, mq_timedsend, mq_unlink, poll
 * source: System V IPC, POSIX message queues
 */
#include "guest.h"
#include <mqueue.h>

static volatile sig_atomic_t told;
static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    told += info->si_value.sival_int;
}
static void child(mqd_t queue)
{
    char text[64];
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "%d from %d", i, getpid());
        CHECK(mq_send(queue, text, strlen(text) + 1, (unsigned)i % 3) == 0);
    }
    _exit(0);
}
int main(void)
{
    char name[32], text[64];
    unsigned priority;
    struct mq_attr a = {.mq_maxmsg = 10, .mq_msgsize = sizeof text};
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    snprintf(name, sizeof name, "/guest%d", getpid());
    printf("none: %d %m\n", mq_open(name, O_RDWR));
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    CHECK(queue >= 0 && mq_unlink(name) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && mq_notify(queue, &e) == 0);
    pid_t pid = fork();
    if (!pid)
        child(queue);
    while (!told)
        nap_ms(1);
    CHECK(wait_for(pid) == 0);
    struct pollfd p = {queue, POLLIN, 0};
    CHECK(mq_getattr(queue, &a) == 0);
    printf("%d has %ld of %ld, told %d, ready %d\n", queue, a.mq_curmsgs, a.mq_maxmsg, told, poll(&p, 1, -1));
    while (a.mq_curmsgs-- > 0) {
        ssize_t n = mq_receive(queue, text, sizeof text, &priority);
        printf("%zd of priority %u: %s\n", n, priority, text);
    }
    struct timespec end;
    CHECK(clock_gettime(CLOCK_REALTIME, &end) == 0);
    end.tv_sec += end.tv_nsec > 900000000;
    end.tv_nsec = (end.tv_nsec + 50000000) % 1000000000;
    printf("too late: %zd %m\n", mq_timedreceive(queue, text, sizeof text, NULL, &end));
    if ((pid = fork()) == 0) {
        nap_ms(20);
        child(queue);
    }
    printf("waited: %zd %s\n", mq_receive(queue, text, sizeof text, NULL), text);
    CHECK(wait_for(pid) == 0 && mq_close(queue) == 0);
    return guest_done();
}
