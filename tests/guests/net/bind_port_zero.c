/* A process with threads listens and receives datagrams on ports chosen by the kernel. It also opens a message
 * queue.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, getsockname, listen, mq_open, mq_timedreceive, mq_timedsend, mq_unlink, recvfrom, sendto
 * source: sockets inside the experiment; descriptor numbers
 */
#include "guest.h"
#include <arpa/inet.h>
#include <mqueue.h>
#include <netinet/in.h>

static int ends[2];

static struct sockaddr_in bound(int fd)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0);
    return at;
}

static void *reads(void *a)
{
    char text[8];
    CHECK(read(ends[0], text, sizeof text) == sizeof text);
    return a;
}

int main(void)
{
    char text[8], name[64];
    struct mq_attr room = {.mq_maxmsg = 4, .mq_msgsize = 8};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = bound(listener);
    printf("listens at %d\n", ntohs(at.sin_port));
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(listen(listener, 1) == 0 && connect(ends[1], (struct sockaddr *)&at, sizeof at) == 0);
    CHECK((ends[0] = accept(listener, NULL, NULL)) >= 0);

    int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    at = bound(datagrams);
    CHECK(sendto(datagrams, "datagram", 8, 0, (struct sockaddr *)&at, sizeof at) == 8 && recv(datagrams, text, 8, 0) == 8);
    printf("%.8s at %d\n", text, ntohs(at.sin_port));

    snprintf(name, sizeof name, "/rex-guest-%d", (int)getpid());
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &room);
    CHECK(queue >= 0 && mq_unlink(name) == 0 && mq_send(queue, "message.", 8, 0) == 0 && mq_receive(queue, text, 8, NULL) == 8);
    printf("%.8s\n", text);

    CHECK(write(ends[1], "stream..", 8) == 8);
    run_threads(1, reads);
    return guest_done();
}
