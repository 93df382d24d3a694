/* Passes descriptors over a named socket: an input, an unnamed file, a pipe, and a file of /proc.
 *
 * engine: native (threads)
 * shows: accept, bind, connect, fcntl, getpid, listen, pread64, recvmsg, sendmsg, unlink
 * source: descriptors passed over sockets
 */
#include "guest.h"
#include <sys/un.h>

enum { COUNT = 4 };
static struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "meeting"};
static union { char bytes[CMSG_SPACE(COUNT * sizeof(int))]; struct cmsghdr align; } space;

static struct msghdr message(struct iovec *data)
{
    return (struct msghdr){.msg_iov = data, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof space.bytes};
}

static void send_all(int over, int pipe_in)
{
    char byte = 'f';
    struct iovec data = {&byte, 1};
    struct msghdr m = message(&data);
    struct cmsghdr *control = CMSG_FIRSTHDR(&m);
    int fds[COUNT] = {open("in.txt", O_RDONLY), open("nameless", O_RDWR | O_CREAT | O_EXCL, 0600), pipe_in,
                      open("/proc/self/stat", O_RDONLY)};
    CHECK(unlink("nameless") == 0 && dprintf(fds[1], "by %d\n", getpid()) > 0);
    *control = (struct cmsghdr){CMSG_LEN(sizeof fds), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(control), fds, sizeof fds);
    CHECK(sendmsg(over, &m, 0) == 1);
}

static void show(int fd)
{
    char text[256];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    CHECK(n >= 0);
    text[n] = 0;
    printf("%d: %s\n", fd, text);
}

static void *receive(void *nothing)
{
    int over = socket(AF_UNIX, SOCK_STREAM, 0), fds[COUNT];
    char byte;
    struct iovec data = {&byte, 1};
    struct msghdr m = message(&data);
    CHECK(connect(over, (struct sockaddr *)&place, sizeof place) == 0);
    CHECK(recvmsg(over, &m, MSG_CMSG_CLOEXEC) == 1 && byte == 'f');
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
    show(fds[0]);
    show(fds[1]);
    show(fds[3]);
    CHECK(fcntl(fds[1], F_GETFD) == FD_CLOEXEC && write(fds[2], "through the pipe\n", 17) == 17);
    return nothing;
}

int main(void)
{
    int pipes[2], listener = socket(AF_UNIX, SOCK_STREAM, 0);
    char text[64] = "";
    pthread_t thread;
    CHECK(bind(listener, (struct sockaddr *)&place, sizeof place) == 0 && listen(listener, 1) == 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(pipe(pipes) == 0);
        send_all(accept(listener, NULL, NULL), pipes[1]);
        CHECK(read(pipes[0], text, sizeof text) == 17);
        dprintf(1, "%s", text);
        _exit(0);
    }
    pthread_create(&thread, NULL, receive, NULL);
    pthread_join(thread, NULL);
    CHECK(wait_for(child) == 0);
    return guest_done();
}
