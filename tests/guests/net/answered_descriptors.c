/* Calls whose answer is a new descriptor: of a process at the other end of a socket, and of a name space.  What is opened after it has
 * the next number, and the first of them waits for its process.
 *
 * engine: native (passed descriptors)
 * shows: getsockopt, ioctl
 * source: descriptor numbers
 */
#include "guest.h"

#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int main(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), child = -1;
    socklen_t size = sizeof child;
    siginfo_t end = {0};
    CHECK(!bind(listener, (struct sockaddr *)&name, sizeof name) && !listen(listener, 1));
    pid_t pid = fork();
    if (!pid) {
        char c;
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(connect(s, (struct sockaddr *)&name, sizeof name) || read(s, &c, 1) != 1 ? 99 : 3);
    }
    int caller = accept(listener, NULL, NULL);
    int failed = getsockopt(caller, SOL_SOCKET, SO_PEERPIDFD, &child, &size);
    printf("process %d %d, next %d\n", failed ? errno : 0, child, open("in.txt", O_RDONLY));
    CHECK(write(caller, "x", 1) == 1);
    CHECK(!waitid(failed ? P_PID : P_PIDFD, (id_t)(failed ? pid : child), &end, WEXITED));
    printf("ended with %d\n", end.si_status);
    int space = open("/proc/self/ns/net", O_RDONLY), user = ioctl(space, NS_GET_USERNS);
    printf("spaces %d %d, next %d\n", space, user, open("in.txt", O_RDONLY));
    printf("kind %x\n", user < 0 ? 0 : ioctl(user, NS_GET_NSTYPE));
    return guest_done();
}
