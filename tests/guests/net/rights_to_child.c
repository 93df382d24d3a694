/* A parent passes an open file and a pipe to its child over a socket pair.
 *
 * shows: clone, lseek, pipe2, read, recvmsg, sendmsg, socketpair
 * source: descriptors passed over sockets
 */
#include "guest.h"

static void send_fd(int over, int fd)
{
    char space[CMSG_SPACE(sizeof(int))] = "", byte = 'f';
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    *control = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(control), &fd, sizeof fd);
    CHECK(sendmsg(over, &message, 0) == 1);
}
static int receive_fd(int over)
{
    char space[CMSG_SPACE(sizeof(int))], byte;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    int fd;
    CHECK(recvmsg(over, &message, 0) == 1 && byte == 'f');
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}
int main(void)
{
    int pair[2], pipes[2];
    char text[64] = "";
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        close(pipes[1]);
        int file = receive_fd(pair[1]), writer = receive_fd(pair[1]);
        ssize_t size = read(file, text, sizeof text);
        CHECK(size > 0 && write(writer, text, size) == size);
        _exit(0);
    }
    int file = open("in.txt", O_RDONLY);
    CHECK(lseek(file, 4, SEEK_SET) == 4);
    send_fd(pair[0], file);
    send_fd(pair[0], pipes[1]);
    CHECK(read(pipes[0], text, sizeof text) == 10 && wait_for(child) == 0);
    printf("the child read: %s", text);
    printf("the offset is now %ld\n", (long)lseek(file, 0, SEEK_CUR));
    return guest_done();
}
