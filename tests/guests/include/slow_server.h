/* A server outside (outside=servers) that answers late. In a replay its answers are there at once. */
#ifndef SLOW_SERVER_H
#define SLOW_SERVER_H
#include "guest.h"

/* It answers line by line. */
static inline void take_answer(int fd)
{
    char line[64];
    CHECK(read(fd, line, sizeof line) > 0);
}

/* Half a second, more or less. */
static inline void ask_slow_server(void)
{
    enum { TIMES = 20 };
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT")));
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    take_answer(fd);
    for (int i = 0; i < TIMES; i++) {
        CHECK(write(fd, "late\n", 5) == 5);
        take_answer(fd);
    }
    CHECK(close(fd) == 0);
}

static inline void compute(void)
{
    for (volatile int i = 0; i < 80 * 1000 * 1000; i++) {
    }
}

#endif
