/* A thread polls for data while a sibling thread makes calls at many sites. The recorder patches each site and
 * stops the polling thread for that.
 *
 * engine: native (threads)
 * shows: bind, clock_nanosleep, clone, clone3, connect, getsockname, pipe2, poll, read, socket
 * source: poll, select, epoll
 */
#include "guest.h"

enum { NUMBERS = 700 };

static int ends[2], back[2];
static volatile int is_over;

static void connect_udp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    CHECK((ends[0] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0 && (ends[1] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0);
    CHECK(bind(ends[0], (struct sockaddr *)&at, sizeof at) == 0 && getsockname(ends[0], (struct sockaddr *)&at, &size) == 0);
    CHECK(connect(ends[1], (struct sockaddr *)&at, sizeof at) == 0);
}

static void *ask(void *unused)
{
    while (!is_over) {
        __asm__ volatile(".rept 8000\n mov $39, %%eax\n syscall\n .endr" ::: "rax", "rcx", "r11", "memory");
        usleep(1000);
    }
    return unused;
}

static void *look(void *unused)
{
    struct pollfd asked = {ends[0], POLLIN, 0};
    unsigned sum = 0, number;
    for (int i = 0; i < NUMBERS; i++) {
        while (poll(&asked, 1, 0) <= 0) {
        }
        CHECK(read(ends[0], &number, sizeof number) == sizeof number && write(back[1], "x", 1) == 1);
        sum = sum * 31 + number;
    }
    printf("numbers: %u\n", sum);
    return unused;
}

int main(void)
{
    pthread_t asker, looker;
    char byte;
    connect_udp();
    CHECK(pipe(back) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    for (unsigned i = 0; !pid && i < NUMBERS; i++)
        CHECK(write(ends[1], &i, sizeof i) == sizeof i && read(back[0], &byte, 1) == 1);
    if (!pid)
        _exit(0);
    CHECK(pthread_create(&looker, NULL, look, NULL) == 0 && pthread_create(&asker, NULL, ask, NULL) == 0);
    CHECK(pthread_join(looker, NULL) == 0);
    is_over = 1;
    CHECK(pthread_join(asker, NULL) == 0 && wait_for(pid) == 0);
    return guest_done();
}
