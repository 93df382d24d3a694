/* Threads share out requests by datagrams to an external server: over connected and unconnected sockets, one at a
 * time and two together.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clone3, connect, poll, recvfrom, sendmmsg, sendto, socket
 * source: servers and clients outside the experiment; which thread does a piece of work
 */
#include "guest.h"
#include "outside.h"

enum { JOBS = 60, THREADS = 4, SIZE = 64 };
static char answers[JOBS][2 * SIZE];
static struct sockaddr_in at;
static void hear(int fd, char *answer)
{
    struct sockaddr_in from = {0};
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(fd, answer, SIZE - 1, 0, (struct sockaddr *)&from, &size);
    CHECK(n > 0 && size == sizeof from && from.sin_port == at.sin_port);
    answer[n] = 0;
}
static void ask_two(int fd, const char *question, int n, char *answer)
{
    struct iovec part = {(void *)question, (size_t)n};
    struct mmsghdr both[2] = {{.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}};
    struct pollfd p = {fd, POLLIN, 0};
    CHECK(sendmmsg(fd, both, 2, 0) == 2 && both[0].msg_len == (unsigned)n && both[1].msg_len == (unsigned)n);
    CHECK(poll(&p, 1, 10000) == 1 && p.revents == POLLIN);
    hear(fd, answer);
    hear(fd, answer + strlen(answer));
}
static void *work(void *unused)
{
    int kept = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(connect(kept, (struct sockaddr *)&at, sizeof at) == 0);
    for (int job; (job = next_job()) < JOBS; ) {
        char question[SIZE];
        int n = snprintf(question, sizeof question, "what is %d", job), fd = kept;
        if (job % 3 == 0) {
            fd = socket(AF_INET, SOCK_DGRAM, 0);
            CHECK(sendto(fd, question, (size_t)n, 0, (struct sockaddr *)&at, sizeof at) == n);
        } else if (job % 3 == 1)
            CHECK(send(fd, question, (size_t)n, 0) == n);
        if (job % 3 == 2)
            ask_two(fd, question, n, answers[job]);
        else
            hear(fd, answers[job]);
        if (fd != kept)
            close(fd);
    }
    close(kept);
    return unused;
}
int main(void)
{
    at = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT"))), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    run_threads(THREADS, work);
    for (int job = 0; job < JOBS; job++)
        puts(answers[job]);
    return guest_done();
}
