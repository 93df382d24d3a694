/* Copies a megabyte of random bytes to standard output, in parts of odd sizes.
 *
 * shows: openat, read, write
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"

static unsigned char bytes[1 << 20];
int main(void)
{
    int fd = open("/dev/urandom", O_RDONLY);
    size_t have = 0;
    while (have < sizeof bytes) {
        ssize_t got = read(fd, bytes + have, sizeof bytes - have);
        CHECK(got > 0);
        have += got;
    }
    for (size_t at = 0; at < have;) {
        size_t piece = 1 + bytes[at] * 300;
        ssize_t put = write(STDOUT_FILENO, bytes + at, piece < have - at ? piece : have - at);
        CHECK(put > 0);
        at += put;
    }
    puts("");
    return guest_done();
}
