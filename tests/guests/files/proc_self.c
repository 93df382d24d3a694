/* Prints what /proc/self contains.
 *
 * live: yes
 * shows: getpid, getppid, newfstatat, openat, readlink
 * source: /proc and /sys
 */
#include "guest.h"

int main(int argc, char **argv)
{
    char text[1000], name[64];
    show_file("/proc/self/stat");
    show_file("/proc/self/status");
    show_file("/proc/self/maps");
    show_file("/proc/self/cmdline");
    show_file("/proc/self/comm");
    show_file("/proc/thread-self/comm");
    show_file("/proc/self/limits");
    ssize_t size = readlink("/proc/self/exe", text, sizeof text - 1);
    CHECK(size > 0 && argc == 1);
    text[size] = 0;
    printf("exe %s argv %s\n", text, argv[0]);
    size = readlink("/proc/self/cwd", text, sizeof text - 1);
    printf("cwd %.*s\n", (int)size, text);
    size = readlink("/proc/self", text, sizeof text - 1);
    printf("self %.*s is %d\n", (int)size, text, atoi(text) == getpid());
    snprintf(name, sizeof name, "/proc/%d/comm", getppid());
    show_file(name);
    snprintf(name, sizeof name, "/proc/%d/stat", getpid());
    show_file(name);
    int fd = open("in.txt", O_RDONLY);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    size = readlink(name, text, sizeof text - 1);
    printf("fd %d is %.*s\n", fd, (int)size, text);
    show_file(name);
    show_file("/proc/self/none");
    return guest_done();
}
