/* One thread opens a plain file, another kernel files, with the same numbers by turns. The second always reads the
 * kernel's data.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, close, futex, openat, read
 * source: descriptor numbers; /proc and /sys
 */
#include "guest.h"

enum { ROUNDS = 400 };
static volatile int is_done;
static const char *program;
static void *plain(void *unused)
{
    while (!is_done) {
        int fd = open(program, O_RDONLY);
        CHECK(fd >= 0 && close(fd) == 0);
    }
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t other;
    char text[64];
    long sum = 0;
    CHECK(argc == 1);
    program = argv[0];
    CHECK(pthread_create(&other, NULL, plain, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        int fd = open("/proc/uptime", O_RDONLY);
        CHECK(fd >= 0);
        for (volatile int k = 0; k < 200000; k++)
            ;
        ssize_t size = read(fd, text, sizeof text - 1);
        CHECK(size > 0 && close(fd) == 0);
        text[size] = 0;
        for (char *at = text; *at; at++)
            sum = sum * 31 % 1000003 + *at;
    }
    is_done = 1;
    CHECK(pthread_join(other, NULL) == 0);
    printf("%ld\n", sum);
    return guest_done();
}
