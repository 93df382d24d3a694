/* Makes queries often enough for the fast path: interrupted by a timer, in children of every kind, and in later
 * threads.
 *
 * engine: native (threads)
 * shows: access, execve, getpid, getrusage, gettimeofday, kill, newfstatat, readlink, setitimer, vfork
 * source: clocks, also by the vDSO; process, thread, group and session ids
 */
#include "guest.h"
#include <sys/resource.h>

enum { ROUNDS = 400 };
static volatile uint64_t handled;
static volatile int signals;
static const char *volatile nowhere;
static uint64_t mix(uint64_t sum, uint64_t value) { return (sum ^ value) * 0x100000001b3ULL; }
static uint64_t now(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static void on_alarm(int sig)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    handled = mix(handled, (uint64_t)t.tv_usec + (uint64_t)sig);
    signals++;
}
static uint64_t ask(int rounds)
{
    struct stat st;
    struct rusage use;
    char target[256];
    uint64_t sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum = mix(sum, now(CLOCK_MONOTONIC));
        sum = mix(sum, now(CLOCK_REALTIME));
        CHECK(stat("/etc/passwd", &st) == 0);
        sum = mix(sum, st.st_ino + (uint64_t)st.st_mtim.tv_nsec);
        CHECK(stat("/not/there", &st) == -1 && errno == ENOENT);
        CHECK(access(nowhere, F_OK) == -1 && errno == EFAULT);
        CHECK(fstat(1, &st) == 0);
        sum = mix(sum, st.st_ino);
        CHECK(getrusage(RUSAGE_SELF, &use) == 0);
        sum = mix(sum, (uint64_t)use.ru_utime.tv_usec);
        sum = mix(sum, (uint64_t)readlink("/proc/self/exe", target, sizeof target));
        sum = mix(sum, (uint64_t)getpid());
    }
    return sum;
}
static void *in_thread(void *result)
{
    *(uint64_t *)result = ask(50);
    return NULL;
}
static void say(const char *who, uint64_t sum) { printf("%s %016llx\n", who, (unsigned long long)sum); }
int main(int argc, char **argv)
{
    struct itimerval every_ms = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    pthread_t thread[4];
    uint64_t sum[4];
    if (argc > 1) {
        say(argv[1], ask(40));
        return 0;
    }
    signal(SIGALRM, on_alarm);
    CHECK(setitimer(ITIMER_REAL, &every_ms, NULL) == 0);
    say("main", ask(ROUNDS));
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    printf("%d signals ", signals);
    say("handler", handled);
    pid_t child = fork();
    if (!child) {
        say("child", ask(40));
        fflush(stdout);
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    say("after fork", ask(10));
    if (!(child = vfork())) {
        uint64_t seen = now(CLOCK_MONOTONIC);
        execl(argv[0], argv[0], seen ? "executed" : "no clock", NULL);
        _exit(1);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    say("after vfork", ask(10));
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, in_thread, &sum[i]) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        say("thread", sum[i]);
    }
    if (!(child = fork()))
        for (;;)
            ask(1);
    nap_ms(50);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    return guest_done();
}
