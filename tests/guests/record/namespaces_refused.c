/* Opens namespaces below /proc, as nsenter does. Entering one is refused.
 *
 * shows: getpid, newfstatat, readlink, setns
 * source: /proc and /sys
 */
#include "guest.h"
#include <sched.h>

static void look_at(const char *kind)
{
    char name[64], link[64] = "";
    struct stat st, by_name;
    int fd;
    snprintf(name, sizeof name, "/proc/%d/ns/%s", getpid(), kind);
    CHECK((fd = open(name, O_RDONLY | O_CLOEXEC)) >= 0 && fstat(fd, &st) == 0 && stat(name, &by_name) == 0);
    CHECK(readlink(name, link, sizeof link - 1) > 0);
    printf("%s: %llu, %d\n", link, (unsigned long long)st.st_ino, st.st_ino == by_name.st_ino);
    CHECK(setns(fd, 0) == -1 && errno == EPERM && close(fd) == 0);
}

int main(void)
{
    static const char *const kinds[] = {"mnt", "net", "uts", "pid_for_children"};
    for (int i = 0; i < 4; i++)
        look_at(kinds[i]);
    CHECK(open("/proc/self/ns/none", O_RDONLY) == -1 && errno == ENOENT);
    return guest_done();
}
