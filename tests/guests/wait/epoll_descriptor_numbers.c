/* Threads wait for datagrams and pipe data by epoll descriptors that they remake each time. They race for the
 * numbers.
 *
 * run: racing
 * engine: native (threads)
 * shows: bind, clock_gettime, clock_nanosleep, connect, epoll_create1, epoll_ctl, epoll_wait, getsockname, pipe2, socket
 * source: poll, select, epoll; descriptor numbers
 */
#include "guest.h"

#include <netinet/in.h>
#include <sys/epoll.h>

enum { READERS = 3, ROUNDS = 6 };

static int ends[READERS][2], pipes[READERS][2];

static void nap(unsigned longest)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    usleep((unsigned)now.tv_nsec / 64 % longest);
}

static void open_pair(int pair[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    pair[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    pair[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(bind(pair[0], (struct sockaddr *)&at, size) == 0 && getsockname(pair[0], (struct sockaddr *)&at, &size) == 0);
    CHECK(connect(pair[1], (struct sockaddr *)&at, size) == 0);
}

static long hear(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    long told;
    int watch = epoll_create1(EPOLL_CLOEXEC);
    CHECK(watch >= 0 && epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) == 0);
    while (epoll_wait(watch, &event, 1, 1) <= 0) {
    }
    close(watch);
    CHECK(read(fd, &told, sizeof told) == sizeof told);
    nap(2000);
    return told;
}

static void *reads(void *own)
{
    size_t k = (size_t)own;
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum = (sum * 31 + hear(ends[k][0])) * 31 + hear(pipes[k][0]);
    return (void *)sum;
}

static void say(int fd)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    nap(3000);
    CHECK(write(fd, &now.tv_nsec, sizeof now.tv_nsec) == sizeof now.tv_nsec);
}

static void *writes(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < READERS; k++) {
            say(ends[k][1]);
            say(pipes[k][1]);
        }
    return unused;
}

int main(void)
{
    pthread_t readers[READERS], writer;
    void *sum;
    for (int k = 0; k < READERS; k++) {
        open_pair(ends[k]);
        CHECK(pipe(pipes[k]) == 0);
    }
    for (size_t k = 0; k < READERS; k++)
        pthread_create(&readers[k], NULL, reads, (void *)k);
    pthread_create(&writer, NULL, writes, NULL);
    pthread_join(writer, NULL);
    for (int k = 0; k < READERS; k++) {
        pthread_join(readers[k], &sum);
        printf("reader %d: %ld\n", k, (long)sum);
    }
    return guest_done();
}
