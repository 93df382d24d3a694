/* A socket bound to a name appears in the file tree. Descriptors have owners.
 *
 * shows: bind, chown, fcntl, getgid, getpid, getuid, ioctl, socketpair, umask, unlink
 * source: sockets inside the experiment; descriptor numbers
 */
#include "guest.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/un.h>

static void show(const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        printf("%s: none\n", path);
    else
        printf("%s: %o\n", path, st.st_mode);
}

int main(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX}, b = a;
    strcpy(a.sun_path, "kept.socket");
    strcpy(b.sun_path, "data/removed.socket");
    umask(027);
    int one = socket(AF_UNIX, SOCK_STREAM, 0), two = socket(AF_UNIX, SOCK_DGRAM, 0);
    printf("%d ", bind(one, (struct sockaddr *)&a, sizeof a));
    printf("%d ", bind(two, (struct sockaddr *)&b, sizeof b));
    printf("%d\n", bind(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&b, sizeof b));
    show("kept.socket");
    show("data/removed.socket");
    unlink("data/removed.socket");
    show("data/removed.socket");
    chown("data", getuid(), getgid());

    int pair[2];
    struct f_owner_ex owner = {F_OWNER_PID, getpid()};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    printf("%d ", fcntl(pair[0], F_SETOWN, getpid()));
    printf("%d ", fcntl(pair[0], F_GETOWN));
    printf("%d ", fcntl(pair[1], F_SETOWN_EX, &owner));
    memset(&owner, 0, sizeof owner);
    printf("%d ", fcntl(pair[1], F_GETOWN_EX, &owner));
    printf("%d\n", owner.pid);

    struct ifreq list[8];
    struct ifconf conf = {.ifc_len = sizeof list, .ifc_req = list};
    int asked = socket(AF_INET, SOCK_DGRAM, 0);
    if (asked >= 0 && !ioctl(asked, SIOCGIFCONF, &conf))
        for (int i = 0; i < conf.ifc_len / (int)sizeof *list; i++)
            printf("interface %s\n", list[i].ifr_name);
    puts(TOKEN);
    return 0;
}
