/* Threads read kernel-made files as often as timing has it, and pass descriptors to each other.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, read
 * source: /proc and /sys; which thread does a piece of work
 */
#include "guest.h"

static volatile int stop;
static void *look(void *arg)
{
    char text[4096];
    long *times = arg;
    for (int i = 0; i < 40 || !stop; i++) {
        const char *name = i % 2 ? "/proc/self/cgroup" : "/proc/meminfo";
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && read(fd, text, sizeof text) > 0 && close(fd) == 0);
        CHECK(i % 2 || !strncmp(text, "MemTotal:", 9));
        ++*times;
    }
    return arg;
}
int main(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    long times[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, look, &times[i]) == 0);
    nap_ms(30);
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0 && times[i] >= 40);
    return guest_done();
}
