/* Executes itself once more from a memfd.
 *
 * shows: execveat, memfd_create, openat, read, write
 * source: fork, clone, exec
 */
#include "guest.h"

int main(int argc, char **argv)
{
    char *again[] = {argv[0], "again", NULL}, *none[] = {NULL}, block[65536];
    if (argc > 1) {
        printf("executed from memory as %s\n", argv[1]);
        return guest_done();
    }
    int file = open("/proc/self/exe", O_RDONLY), memory = memfd_create("program", MFD_CLOEXEC);
    CHECK(file >= 0 && memory >= 0);
    for (ssize_t n; (n = read(file, block, sizeof block)) > 0; )
        CHECK(write(memory, block, (size_t)n) == n);
    fexecve(memory, again, none);
    CHECK(!"executed");
}
