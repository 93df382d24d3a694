/* A third process requests files by number from two others over sockets. All have threads.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, clock_nanosleep, connect, listen, pipe2, recvmsg, sendmsg, socket, wait4
 * source: descriptors passed over sockets
 */
#include "guest.h"
#include <sys/un.h>

enum { FILES = 6, MAKERS = 2 };
static int served[MAKERS];
static void *lock_holder(void *unused)
{
    nap_ms(20);
    return unused;
}
static void start(void *(*work)(void *), void *of)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, of) == 0);
}
static void hand_over(int to, int fd)
{
    char byte = 1, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(to, &m, 0) == 1);
}
static int taken_over(int from)
{
    int fd;
    char byte, room[CMSG_SPACE(sizeof fd)];
    struct iovec data = {&byte, 1};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    CHECK(recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}
static struct sockaddr_un address_of(int maker)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "maker%d", maker);
    return at;
}
static char *name_of(int maker, int k)
{
    static __thread char name[40];
    snprintf(name, sizeof name, "file%d.%d", maker, k);
    return name;
}
static void *serve(void *of)
{
    int maker = (int)(long)of, k;
    for (int i = 0; i < FILES; i++) {
        int fd = accept(served[maker], NULL, NULL);
        CHECK(fd >= 0 && read(fd, &k, sizeof k) == sizeof k);
        int file = open(name_of(maker, k), O_RDONLY);
        hand_over(fd, file);
        close(file);
        close(fd);
    }
    exit(0);
}
static void make(int maker, int tell)
{
    struct sockaddr_un at = address_of(maker);
    served[maker] = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(served[maker], (struct sockaddr *)&at, sizeof at) == 0 && listen(served[maker], 5) == 0);
    start(serve, (void *)(long)maker);
    for (int k = 0; k < FILES; k++) {
        int word[2] = {maker, k};
        char text[40];
        snprintf(text, sizeof text, "file %d of %d", k, maker);
        put_file(name_of(maker, k), text);
        for (volatile int i = 0; i < 100000; i++)
            ;
        CHECK(write(tell, word, sizeof word) == sizeof word);
    }
    for (;;)
        pause();
}
int main(void)
{
    int told[2], word[2];
    char text[MAKERS][FILES][40] = {0};
    CHECK(pipe(told) == 0);
    for (int i = 0; i < MAKERS; i++)
        if (fork() == 0)
            make(i, told[1]);
    start(lock_holder, NULL);
    for (int i = 0; i < MAKERS * FILES; i++) {
        CHECK(read(told[0], word, sizeof word) == sizeof word);
        struct sockaddr_un at = address_of(word[0]);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && write(fd, &word[1], sizeof word[1]) == sizeof word[1]);
        int file = taken_over(fd);
        CHECK(read(file, text[word[0]][word[1]], 40) > 0);
        close(file);
        close(fd);
    }
    for (int i = 0; i < MAKERS * FILES; i++)
        puts(text[i / FILES][i % FILES]);
    for (int i = 0; i < MAKERS; i++)
        wait(NULL);
    return guest_done();
}
