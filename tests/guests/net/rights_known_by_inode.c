/* Two processes pass unnamed files to a third, which knows them by their inodes. All have threads.
 *
 * run: racing
 * engine: native (threads)
 * shows: accept, bind, connect, dup, fstat, ftruncate, listen, recvmsg, sendmsg, unlink
 * source: descriptors passed over sockets; inodes, sizes, times and modes of files
 */
#include "guest.h"
#include <sys/un.h>

enum { FILES = 12, MAKERS = 2 };
static int served[MAKERS], files[FILES];
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
static void *serve(void *of)
{
    int maker = (int)(long)of, k;
    for (int i = 0; i < FILES; i++) {
        int fd = accept(served[maker], NULL, NULL);
        CHECK(fd >= 0 && read(fd, &k, sizeof k) == sizeof k);
        int copy = dup(files[k]);
        hand_over(fd, copy);
        close(copy);
        close(fd);
    }
    exit(0);
}
static int make_file(int maker, int k)
{
    char name[40];
    snprintf(name, sizeof name, "file%d.%d", maker, k);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && unlink(name) == 0 && ftruncate(fd, 100 * (maker + 1) + k) == 0);
    return fd;
}
static void make(int maker, int tell)
{
    struct sockaddr_un at = address_of(maker);
    unlink(at.sun_path);
    served[maker] = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(served[maker], (struct sockaddr *)&at, sizeof at) == 0 && listen(served[maker], 5) == 0);
    start(serve, (void *)(long)maker);
    for (int k = 0; k < FILES; k++) {
        int word[2] = {maker, k};
        files[k] = make_file(maker, k);
        for (volatile int i = 0; i < 100000; i++)
            ;
        CHECK(write(tell, word, sizeof word) == sizeof word);
    }
    for (;;)
        pause();
}
static ino_t known[MAKERS * FILES];
/* Its size, and whether it is none of those that are there already. */
static void look_at(int file, int nth, int *size, int *is_new)
{
    struct stat st, of_copy;
    int copy = dup(file);
    CHECK(fstat(file, &st) == 0 && syscall(SYS_fstat, copy, &of_copy) == 0);
    *size = st.st_size == of_copy.st_size && st.st_ino == of_copy.st_ino ? (int)st.st_size : -1;
    *is_new = 1;
    for (int i = 0; i < nth; i++)
        *is_new &= known[i] != st.st_ino;
    known[nth] = st.st_ino;
    if (nth % 3)
        close(copy);
}
int main(void)
{
    int told[2], word[2], size[MAKERS][FILES], is_new[MAKERS][FILES];
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
        look_at(taken_over(fd), i, &size[word[0]][word[1]], &is_new[word[0]][word[1]]);
        close(fd);
    }
    for (int i = 0; i < MAKERS * FILES; i++)
        printf("file %d of %d: %d, %d\n", i % FILES, i / FILES, size[i / FILES][i % FILES], is_new[i / FILES][i % FILES]);
    for (int i = 0; i < MAKERS; i++)
        wait(NULL);
    return guest_done();
}
