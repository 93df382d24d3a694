/* The kernel restarts an interrupted wait by restart_syscall. A signal ends it, but perhaps not in a replay.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, clock_gettime, clock_nanosleep, getpid, kill, pipe2, poll, restart_syscall, rt_sigprocmask, wait4
 * source: poll, select, epoll; signals
 */
#include "guest.h"
#include <semaphore.h>

static int prompt[2], kept;
static volatile sig_atomic_t told;

static void *look_often(void *unused)
{
    char byte;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0 && read(prompt[0], &byte, 1) == 1);
    for (int i = 0; i < 300; i++)
        CHECK(access("nothing", F_OK) == -1);
    CHECK(read(prompt[0], &byte, 1) == 1 && access("nothing", F_OK) == -1);
    return unused;
}

static void handle(int unused)
{
    (void)unused;
    told = 1;
}

static void say(const char *text)
{
    CHECK(write(kept, text, strlen(text)) == (ssize_t)strlen(text));
}

static pid_t begin(void (*work)(pid_t parent))
{
    pid_t parent = getpid(), child = fork();
    CHECK(child >= 0);
    if (child)
        return child;
    work(parent);
    _exit(0);
}

static void be_told(pid_t unused)
{
    (void)unused;
    while (!told)
        poll(NULL, 0, 5000);
    say("the worker ends\n");
}

static void prompt_soon(pid_t unused)
{
    (void)unused;
    nap_ms(150);
    CHECK(write(prompt[1], "x", 1) == 1);
}

static void tell(pid_t parent)
{
    nap_ms(400);
    CHECK(kill(parent, SIGTERM) == 0);
}

int main(void)
{
    pthread_t thread;
    sem_t none;
    struct timespec until;
    CHECK((kept = open("said", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644)) >= 0);
    CHECK(sem_init(&none, 0, 0) == 0 && sigaction(SIGTERM, &(struct sigaction){.sa_handler = handle}, NULL) == 0);
    pid_t worker = begin(be_told);
    CHECK(pipe(prompt) == 0 && pthread_create(&thread, NULL, look_often, NULL) == 0);
    begin(tell);
    begin(prompt_soon);
    nap_ms(50);
    while (!told) {
        CHECK(clock_gettime(CLOCK_REALTIME, &until) == 0);
        until.tv_sec += 5;
        CHECK(sem_timedwait(&none, &until) == -1);
    }
    say("the first is told to end\n");
    CHECK(kill(worker, SIGTERM) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(wait(NULL) > 0);
    CHECK(write(prompt[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0);
    show_file("said");
    return guest_done();
}
