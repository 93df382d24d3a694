/* The server outside that a guest may call (tests/guest_runs/outside.py). */
#ifndef OUTSIDE_H
#define OUTSIDE_H
#include "guest.h"

#include <arpa/inet.h>

/* A connection, on which the server has said hello. */
static inline FILE *called(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(getenv("GUEST_PORT"))),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char hello[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    FILE *f = fdopen(fd, "r+");
    CHECK(f && fgets(hello, sizeof hello, f) && !strncmp(hello, "hello", 5));
    return f;
}

#endif
