/* A thread blocked in accept holds a descriptor number. Other threads get the next numbers, but a child does not.
 *
 * engine: native (threads)
 * shows: bind, clock_nanosleep, clone, clone3, listen, newfstatat, socket
 * source: descriptor numbers
 */
#include "guest.h"
#include <sys/socket.h>
#include <sys/un.h>

static void *let_in(void *at)
{
    accept4(*(int *)at, NULL, NULL, 0);
    return NULL;
}
static void show(const char *who)
{
    int first = open("in.txt", O_RDONLY), second = open("in.txt", O_RDONLY);
    struct stat st;
    CHECK(first >= 0 && second >= 0 && fstat(second, &st) == 0);
    printf("%s: %d %d\n", who, first, second);
    CHECK(close(first) == 0 && close(second) == 0);
}
int main(void)
{
    struct sockaddr_un here = {.sun_family = AF_UNIX, .sun_path = "here"};
    int at = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_t thread;
    CHECK(at >= 0 && bind(at, (void *)&here, sizeof here) == 0 && listen(at, 1) == 0);
    show("before");
    CHECK(pthread_create(&thread, NULL, let_in, &at) == 0);
    nap_ms(50);
    show("beside it");
    pid_t child = fork();
    if (child == 0) {
        show("child");
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}
