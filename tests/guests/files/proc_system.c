/* Reads /proc and /sys files about the machine in small parts.
 *
 * shows: lseek, newfstatat, pread64, read
 * source: /proc and /sys
 */
#include "guest.h"

static void show_all(const char *path, size_t piece)
{
    char text[512];
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && piece < sizeof text);
    ssize_t size, all = 0;
    while ((size = read(fd, text, piece)) > 0) {
        fwrite(text, 1, size, stdout);
        all += size;
    }
    printf("\n%s: %zd bytes\n", path, all);
    close(fd);
}
int main(void)
{
    show_all("/proc/cpuinfo", 300);
    show_all("/proc/meminfo", 100);
    show_all("/proc/uptime", 7);
    show_all("/proc/loadavg", 100);
    show_all("/proc/version", 100);
    show_all("/proc/sys/kernel/random/uuid", 50);
    show_all("/proc/sys/kernel/random/boot_id", 50);
    show_all("/proc/sys/kernel/pid_max", 50);
    int fd = open("/proc/stat", O_RDONLY);
    char text[64];
    CHECK(pread(fd, text, 20, 0) == 20 && lseek(fd, 5, SEEK_SET) == 5);
    printf("stat %.20s\n", text);
    CHECK(read(fd, text, 10) == 10);
    printf("from 5: %.10s\n", text);
    return guest_done();
}
