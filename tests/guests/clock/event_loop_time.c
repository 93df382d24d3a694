/* An event loop reads the time each time that a sibling wakes it, more or less often than recorded. A read after
 * device data is newer.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, gettimeofday, pipe2, poll, read
 * source: clocks, also by the vDSO; random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"

enum { EVENTS = 1200, AT_ONCE = 20, LONG_US = 20000 };
static int events[2];
static void *wakes(void *none)
{
    for (int i = 0; i < EVENTS; i++) {
        CHECK(write(events[1], "e", 1) == 1);
        for (volatile int k = 0; k < 300 * (i % 7); k++) {
        }
        if (i % AT_ONCE == 0)
            nap_ms(1);
    }
    return none;
}
static long long microseconds(const struct timeval *t)
{
    return (long long)t->tv_sec * 1000000 + t->tv_usec;
}
static __attribute__((noinline)) long long now(void)
{
    struct timeval t;
    CHECK(gettimeofday(&t, NULL) == 0);
    return microseconds(&t);
}
static __attribute__((noinline)) long long now_elsewhere(void)
{
    struct timeval room[64];
    CHECK(gettimeofday(&room[0], NULL) == 0);
    return microseconds(room);
}
int main(void)
{
    pthread_t thread;
    char bytes[EVENTS];
    long long last = 0;
    int device = open("/dev/urandom", O_RDONLY);
    CHECK(device >= 0 && pipe(events) == 0 && pthread_create(&thread, NULL, wakes, NULL) == 0);
    for (ssize_t n, had = 0; had < EVENTS; had += n) {
        struct pollfd p = {events[0], POLLIN, 0};
        CHECK(poll(&p, 1, -1) == 1);
        last = now();
        CHECK((n = read(events[0], bytes, sizeof bytes)) > 0);
    }
    CHECK(read(device, bytes, 1) == 1 && last > 0);
    long long before = now_elsewhere(), after = now();
    printf("%s\n", after < before - LONG_US ? "long ago" : "now");
    CHECK(pthread_join(thread, NULL) == 0);
    return guest_done();
}
