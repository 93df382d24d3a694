/* Passes one end of a socket pair, and a half-read file, while the other end stays.
 *
 * engine: native (passed descriptors)
 * shows: accept, bind, clone, connect, listen, read, recvmsg, sendmsg, socket, socketpair
 * source: descriptors passed over sockets
 */
#include "guest.h"
#include <sys/un.h>

enum { ROUNDS = 4, COUNT = 2 };
static struct sockaddr_un place = {.sun_family = AF_UNIX, .sun_path = "meeting"};
static union { char bytes[CMSG_SPACE(COUNT * sizeof(int))]; struct cmsghdr align; } space;

static struct msghdr message(struct iovec *data)
{
    return (struct msghdr){.msg_iov = data, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof space.bytes};
}

static void serve(int listener)
{
    char byte, word[16] = "";
    int over = accept(listener, NULL, NULL), fds[COUNT];
    for (int i = 0; i < ROUNDS; i++) {
        struct iovec data = {&byte, 1};
        struct msghdr m = message(&data);
        CHECK(recvmsg(over, &m, 0) == 1 && byte == 'a' + i);
        memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
        CHECK(read(fds[1], word, 3) == 3 && write(fds[0], word, 3) == 3);
        CHECK(read(fds[0], word, sizeof word) == 4 && write(fds[0], word, 4) == 4);
        close(fds[0]);
        close(fds[1]);
    }
    _exit(0);
}

int main(void)
{
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    put_file("letters", "abcdefghij");
    CHECK(bind(listener, (struct sockaddr *)&place, sizeof place) == 0 && listen(listener, 1) == 0);
    pid_t child = fork();
    if (child == 0)
        serve(listener);
    int over = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(over, (struct sockaddr *)&place, sizeof place) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        int ends[2], file = open("letters", O_RDONLY), fds[COUNT];
        char byte = (char)('a' + i), word[16] = "";
        struct iovec data = {&byte, 1};
        struct msghdr m = message(&data);
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && read(file, word, 2) == 2);
        struct cmsghdr *control = CMSG_FIRSTHDR(&m);
        memcpy(fds, (int[]){ends[1], file}, sizeof fds);
        *control = (struct cmsghdr){CMSG_LEN(sizeof fds), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(control), fds, sizeof fds);
        CHECK(sendmsg(over, &m, 0) == 1);
        close(ends[1]);
        CHECK(read(ends[0], word, 3) == 3);
        printf("told %s, ", word);
        CHECK(write(ends[0], "over", 4) == 4 && read(ends[0], word, sizeof word) == 4 && read(file, word + 4, 2) == 2);
        printf("then %s; end %zd\n", word, read(ends[0], word, 1));
        close(ends[0]);
        close(file);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}
