/* Tasks write unbuffered lines one after the other: processes, threads, between signals, and by programs that they
 * start.
 *
 * engine: native (threads)
 * shows: clone3, dup, dup2, execve, newfstatat, pipe2, read, setitimer, vfork, wait4
 * source: standard streams
 */
#include "guest.h"

enum { LINES = 150, TURNS = 4 };
static volatile sig_atomic_t rings;

static void say(const char *who, int i)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %d\n", who, i);
    CHECK(write(i % 10 == 7 ? 2 : 1, line, (size_t)n) == n);
}

static void say_many(const char *who)
{
    for (int i = 0; i < LINES; i++)
        say(who, i);
}

static void take_turns(int from, int to, const char *who)
{
    char c = 0;
    for (int i = 0; i < TURNS; i++) {
        CHECK(read(from, &c, 1) == 1);
        say_many(who);
        CHECK(write(to, &c, 1) == 1);
    }
}

static void with_child(void)
{
    int there[2], back[2];
    CHECK(!pipe(there) && !pipe(back) && write(there[1], "x", 1) == 1);
    pid_t pid = fork();
    if (!pid) {
        take_turns(there[0], back[1], "child");
        _exit(0);
    }
    take_turns(back[0], there[1], "parent");
    CHECK(waitpid(pid, NULL, 0) == pid);
}

static void *speak(void *turns)
{
    int (*t)[2] = turns;
    take_turns(t[0][0], t[1][1], "thread");
    return NULL;
}

static void with_thread(void)
{
    int turns[2][2];
    pthread_t thread;
    CHECK(!pipe(turns[0]) && !pipe(turns[1]) && write(turns[0][1], "x", 1) == 1);
    CHECK(!pthread_create(&thread, NULL, speak, turns));
    take_turns(turns[1][0], turns[0][1], "main");
    CHECK(!pthread_join(thread, NULL));
}

static void rang(int sig)
{
    (void)sig;
    say("rings", ++rings);
}

static void with_signals(void)
{
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, rang);
    CHECK(!setitimer(ITIMER_REAL, &often, NULL));
    for (int i = 0; rings < 5; i++)
        say("between", i % 1000);
    CHECK(!setitimer(ITIMER_REAL, &never, NULL));
}

static void elsewhere(void)
{
    struct stat st;
    int keeps = dup(1), fd = open("said", O_CREAT | O_RDWR | O_TRUNC, 0600);
    say_many("before");
    CHECK(dup2(fd, 1) == 1);
    for (int i = 0; i < LINES; i++)
        CHECK(write(1, "there\n", 6) == 6);
    close(1);
    CHECK(write(1, "lost\n", 5) == -1 && errno == EBADF);
    CHECK(dup2(keeps, 1) == 1 && !fstat(fd, &st));
    say_many("after");
    printf("%ld bytes there\n", (long)st.st_size);
}

static void by_programs(void)
{
    for (int i = 0; i < 5; i++) {
        say_many("starts");
        pid_t pid = vfork();
        if (!pid) {
            execlp("sh", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo program $i; done", (char *)NULL);
            _exit(1);
        }
        CHECK(waitpid(pid, NULL, 0) == pid);
    }
}

int main(void)
{
    say_many("alone");
    with_child();
    by_programs();
    elsewhere();
    with_signals();
    with_thread();
    say_many("end");
    return guest_done();
}
