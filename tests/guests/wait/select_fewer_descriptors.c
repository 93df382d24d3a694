/* A thread waits for a pipe, and for a terminal only at times. Terminal data must be kept for a wait that includes
 * the terminal.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone, clone3, ioctl, pipe2, pselect6, read, wait4
 * source: poll, select, epoll; terminals
 */
#include "guest.h"
#include <sys/select.h>
#include <termios.h>

enum { LINES = 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static int terminal, ask[2], is_wanted, is_ready;
static void *watch(void *none)
{
    char letters[64] = "";
    for (ssize_t n = 1; letters[n - 1] != 'q';) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(ask[0], &set);
        CHECK(pthread_mutex_lock(&lock) == 0);
        int wants = is_wanted;
        CHECK(pthread_mutex_unlock(&lock) == 0);
        if (wants)
            FD_SET(terminal, &set);
        CHECK(select((terminal > ask[0] ? terminal : ask[0]) + 1, &set, NULL, NULL, NULL) > 0);
        CHECK(pthread_mutex_lock(&lock) == 0);
        if (wants && FD_ISSET(terminal, &set)) {
            is_ready = 1;
            is_wanted = 0;
            CHECK(pthread_cond_signal(&come) == 0);
        }
        CHECK(pthread_mutex_unlock(&lock) == 0);
        if (FD_ISSET(ask[0], &set))
            CHECK((n = read(ask[0], letters, sizeof letters)) > 0);
    }
    return none;
}
static void await_terminal(void)
{
    for (int i = 0; i < 5; i++)          /* found one by one, or several at once */
        CHECK(write(ask[1], "b", 1) == 1);
    CHECK(pthread_mutex_lock(&lock) == 0);
    is_wanted = 1;
    is_ready = 0;
    CHECK(write(ask[1], "a", 1) == 1);
    while (!is_ready)
        CHECK(pthread_cond_wait(&come, &lock) == 0);
    CHECK(pthread_mutex_unlock(&lock) == 0);
}
int main(void)
{
    char line[64], name[64];
    struct termios raw;
    pthread_t thread;
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 && ptsname_r(terminal, name, sizeof name) == 0);
    CHECK(tcgetattr(terminal, &raw) == 0);
    cfmakeraw(&raw);
    CHECK(tcsetattr(terminal, TCSANOW, &raw) == 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(name, O_RDWR);
        for (int i = 0; i < LINES; i++) {
            usleep(2000);
            CHECK(dprintf(fd, "line %d", i) > 0 && read(fd, line, 1) == 1);
        }
        _exit(0);
    }
    CHECK(pipe(ask) == 0 && pthread_create(&thread, NULL, watch, NULL) == 0);
    for (int i = 0; i < LINES; i++) {
        await_terminal();
        ssize_t n = read(terminal, line, sizeof line);
        CHECK(n > 0);
        printf("%.*s of %d\n", (int)n, line, LINES);
        CHECK(write(terminal, "\n", 1) == 1);
    }
    CHECK(write(ask[1], "q", 1) == 1 && pthread_join(thread, NULL) == 0 && waitpid(child, NULL, 0) == child);
    return guest_done();
}
