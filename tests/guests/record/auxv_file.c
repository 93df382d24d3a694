/* Reads /proc/self/auxv in parts of odd sizes. It names the vDSO only if the vector on the stack does.
 *
 * shows: close, openat, pread64, read, readv
 * source: auxiliary vector, addresses (ASLR); clocks, also by the vDSO
 */
#include "guest.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/uio.h>

static size_t read_parts(char *into, size_t room)
{
    int fd = open("/proc/self/auxv", O_RDONLY);
    size_t used = 0;
    ssize_t n;
    CHECK(fd >= 0);
    while (used + 48 < room) {
        struct iovec parts[2] = {{into + used, 5}, {into + used + 5, 20}};
        n = used % 2 ? readv(fd, parts, 2) : read(fd, into + used, 7);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    close(fd);
    return used;
}

int main(void)
{
    static union { char bytes[4096]; Elf64_auxv_t entries[256]; } whole, parts;
    int fd = open("/proc/self/auxv", O_RDONLY);
    ssize_t size = pread(fd, whole.bytes, sizeof whole, 0);
    CHECK(fd >= 0 && size > 0 && read_parts(parts.bytes, sizeof parts) == (size_t)size && !memcmp(&whole, &parts, (size_t)size));
    int names_vdso = 0;
    for (Elf64_auxv_t *a = whole.entries; a->a_type != AT_NULL; a++) {
        if (a->a_type == AT_PAGESZ)
            printf("page size %lu\n", a->a_un.a_val);
        names_vdso |= a->a_type == AT_SYSINFO_EHDR;
    }
    CHECK(names_vdso == (getauxval(AT_SYSINFO_EHDR) != 0));
    return guest_done();
}
