/* Threads share out requests to an internal server without threads. Who sends what over which connection depends
 * on who is first.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clone3, connect, listen, poll, recvfrom, sendto, socket, unlink
 * source: sockets inside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include <sys/un.h>

enum { JOBS = 60, THREADS = 4 };

static const struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "socket"};
static char answers[JOBS + 1][64];

static int called(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    return fd;
}

static void ask(int fd, int job)
{
    char text[64];
    int n = snprintf(text, sizeof text, "what is %d?", job);
    CHECK(send(fd, text, (size_t)n, MSG_NOSIGNAL) == n);
    CHECK(recv(fd, answers[job], sizeof answers[job] - 1, 0) > 0);
}

static void *work(void *unused)
{
    int kept = called();
    for (int job; (job = next_job()) < JOBS; ) {
        int fd = job % 3 ? kept : called();
        ask(fd, job);
        if (fd != kept)
            close(fd);
    }
    close(kept);
    return unused;
}

static void serve(int listener)
{
    struct pollfd p[JOBS + THREADS + 1] = {{listener, POLLIN, 0}};
    int count = 1, job, served = 0;
    char text[64], answer[96];
    while (served <= JOBS) {
        CHECK(poll(p, (nfds_t)count, -1) > 0);
        for (int i = 1; i < count; i++) {
            if (!(p[i].revents & (POLLIN | POLLHUP)))
                continue;
            ssize_t n = recv(p[i].fd, text, sizeof text - 1, 0);
            if (n <= 0) {
                close(p[i].fd);
                p[i].fd = -1;
                continue;
            }
            text[n] = 0;
            CHECK(sscanf(text, "what is %d?", &job) == 1);
            n = snprintf(answer, sizeof answer, "%d is %d more than %d\n", job, job / 2, job - job / 2);
            CHECK(send(p[i].fd, answer, (size_t)n, MSG_NOSIGNAL) == n);
            served++;
        }
        if (p[0].revents & POLLIN) {
            p[count] = (struct pollfd){accept(listener, NULL, NULL), POLLIN, 0};
            CHECK(p[count++].fd >= 0);
        }
    }
}

int main(void)
{
    unlink(at.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(listener >= 0 && bind(listener, (const struct sockaddr *)&at, sizeof at) == 0 && listen(listener, JOBS) == 0);
    pid_t server = fork();
    if (server == 0) {
        serve(listener);
        puts("served");
        exit(0);
    }
    close(listener);
    run_threads(THREADS, work);
    ask(called(), JOBS);
    CHECK(wait_for(server) == 0);
    for (int job = 0; job <= JOBS; job++)
        fputs(answers[job], stdout);
    return guest_done();
}
