/* Reads random bytes by getrandom and from the device.
 *
 * shows: getrandom, openat, read, unlink, write
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"
#include <sys/random.h>

static void show(const char *what, const unsigned char *bytes, size_t size)
{
    printf("%s", what);
    for (size_t i = 0; i < size; i++)
        printf(" %02x", bytes[i]);
    puts("");
}
int main(void)
{
    unsigned char bytes[16];
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    show("getrandom", bytes, sizeof bytes);
    CHECK(getrandom(bytes, 5, GRND_NONBLOCK) == 5);
    show("five", bytes, 5);
    CHECK(getentropy(bytes, sizeof bytes) == 0);
    show("getentropy", bytes, sizeof bytes);
    int fd = open("/dev/urandom", O_RDONLY);
    CHECK(fd >= 0 && read(fd, bytes, sizeof bytes) == sizeof bytes);
    show("urandom", bytes, sizeof bytes);
    CHECK(read(fd, bytes, 3) == 3);
    show("three", bytes, 3);
    arc4random_buf(bytes, sizeof bytes);
    show("arc4random", bytes, sizeof bytes);
    char name[] = "tmp-XXXXXX";
    int made = mkstemp(name);
    CHECK(made >= 0 && write(made, "x", 1) == 1);
    printf("mkstemp %s\n", name);
    CHECK(unlink(name) == 0);
    return guest_done();
}
