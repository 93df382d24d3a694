/* Two processes with threads pass a device by a duplicate over a named socket. What the device returns to its new
 * owner is external.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, dup, fcntl, listen, recvmsg, sendmsg, socket, unlink
 * source: descriptors passed over sockets
 */
#include "guest.h"
#include <sys/un.h>

enum { WORDS = 200 };
static struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "handed.sock"};
static void *nothing(void *unused)
{
    return unused;
}
static void have_threads(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
}
static void talk(int fd)
{
    for (int i = 0, word; i < WORDS; i++) {
        CHECK(write(fd, &i, sizeof i) == sizeof i);
        CHECK(read(fd, &word, sizeof word) == sizeof word && word == i);
    }
}
static struct msghdr message(struct iovec *data, char *byte, char *room, size_t size)
{
    *data = (struct iovec){byte, 1};
    return (struct msghdr){.msg_iov = data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = size};
}
static void hand_over(int to, int fd)
{
    char byte = 1, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data;
    struct msghdr m = message(&data, &byte, room, sizeof room);
    *CMSG_FIRSTHDR(&m) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof fd);
    CHECK(sendmsg(to, &m, 0) == 1);
}
static int taken_over(int from)
{
    int fd;
    char byte, room[CMSG_SPACE(sizeof fd)];
    struct iovec data;
    struct msghdr m = message(&data, &byte, room, sizeof room);
    CHECK(recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}
static void ask(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), device = open("/dev/urandom", O_RDONLY), other;
    have_threads();
    CHECK(device >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    talk(fd);
    CHECK((other = fcntl(fd, F_DUPFD_CLOEXEC, 0)) >= 0);
    hand_over(other, device);
    CHECK(close(other) == 0);
    talk(fd);
    exit(0);
}
int main(void)
{
    int listens = socket(AF_UNIX, SOCK_STREAM, 0), fd, other;
    unsigned char drawn[8];
    CHECK(bind(listens, (struct sockaddr *)&at, sizeof at) == 0 && listen(listens, 1) == 0);
    if (fork() == 0)
        ask();
    have_threads();
    CHECK((fd = accept(listens, NULL, NULL)) >= 0);
    talk(fd);
    CHECK((other = dup(fd)) >= 0);
    int device = taken_over(other);
    CHECK(close(other) == 0);
    talk(fd);
    CHECK(read(device, drawn, sizeof drawn) == sizeof drawn);
    for (size_t i = 0; i < sizeof drawn; i++)
        printf("%02x", drawn[i]);
    puts("");
    CHECK(wait(NULL) > 0 && unlink(at.sun_path) == 0);
    return guest_done();
}
