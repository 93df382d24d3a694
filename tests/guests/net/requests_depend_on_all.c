/* One thread of several uses several connections, as by TLS. What it sends depends on all data sent and received
 * before.
 *
 * run: racing, outside=servers
 * engine: native (threads)
 * shows: clock_nanosleep, connect, epoll_create1, epoll_ctl, epoll_wait, pipe2, read, recvfrom, sendto, socket
 * source: servers and clients outside the experiment
 */
#include "guest.h"
#include "outside.h"
#include <sys/epoll.h>

enum { LINES = 4, ASKED = 60 };
static int bell[2];
static void *ring(void *unused)
{
    for (int i = 0; i < 20; i++) {
        CHECK(write(bell[1], "!", 1) == 1);
        usleep(300);
    }
    return unused;
}
static unsigned long heard = 5381;
static void ask(FILE *f, int count)
{
    static const unsigned char hello[] = {22, 3, 1, 1, 20, 1};
    unsigned char said[40];
    int n = 0;
    for (; n < 6; n++)
        said[n] = count < LINES ? hello[n] : 23;
    n += snprintf((char *)said + n, sizeof said - (size_t)n, "%lx\n", heard);
    CHECK(send(fileno(f), said, (size_t)n, 0) == n);
}
int main(void)
{
    FILE *line[LINES];
    pthread_t thread;
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = LINES};
    int all = epoll_create1(0), count = 0;
    CHECK(pipe(bell) == 0 && epoll_ctl(all, EPOLL_CTL_ADD, bell[0], &e) == 0);
    CHECK(pthread_create(&thread, NULL, ring, NULL) == 0);
    for (int i = 0; i < LINES; i++) {
        line[i] = called();
        e.data.u32 = (unsigned)i;
        CHECK(epoll_ctl(all, EPOLL_CTL_ADD, fileno(line[i]), &e) == 0);
    }
    while (count < LINES)
        ask(line[count], count), count++;
    for (int answers = 0; answers < ASKED; ) {
        char text[200] = "";
        CHECK(epoll_wait(all, &e, 1, -1) == 1);
        if (e.data.u32 == LINES) {
            CHECK(read(bell[0], text, 1) == 1);
            continue;
        }
        ssize_t n = recv(fileno(line[e.data.u32]), text, sizeof text, 0);
        CHECK(n > 0);
        for (ssize_t i = 0; i < n; i++)
            heard = heard * 33 + (unsigned char)text[i];
        printf("%u: %lx\n", e.data.u32, heard);
        answers++;
        if (count < ASKED)
            ask(line[e.data.u32], count++);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}
