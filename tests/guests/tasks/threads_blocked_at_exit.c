/* The program exits while its threads wait for what never happens.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, connect, getsockname, listen, rt_sigprocmask, socket
 * source: which thread does a piece of work
 */
#include "guest.h"
#include <netinet/in.h>

static int listeners[2];
static void *wait_for_ever(void *arg)
{
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    sigset_t set;
    int sig, fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    switch ((long)arg) {
    case 0: accept(listeners[0], NULL, NULL); break;
    case 1: sigwait(&set, &sig); break;
    case 2: pause(); break;
    case 3: nap_ms(100000); break;
    case 4: poll(&(struct pollfd){listeners[0], POLLIN, 0}, 1, -1); break;
    case 5:
        CHECK(getsockname(listeners[1], (struct sockaddr *)&own, &size) == 0);
        CHECK(connect(fd, (struct sockaddr *)&own, size) == 0);
        CHECK(recv(fd, &byte, 1, 0) == 1);
    }
    puts("somebody came back");
    exit(97);
}
int main(void)
{
    sigset_t set;
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(listen(listeners[i], 5) == 0);
    }
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    for (long i = 0; i < 6; i++)
        CHECK(pthread_create(&thread, NULL, wait_for_ever, (void *)i) == 0);
    nap_ms(100);
    return guest_done();
}
