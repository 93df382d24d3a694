/* Moves data inside the kernel: sendfile, splice, tee, copy_file_range, vmsplice.
 *
 * live: yes
 * shows: copy_file_range, lseek, newfstatat, pipe2, read, sendfile, splice, tee, vmsplice
 * source: large reads and writes, copies inside the kernel
 */
#include "guest.h"
#include <sys/sendfile.h>

int main(void)
{
    int in = open("in.txt", O_RDONLY), out = open("copied", O_RDWR | O_CREAT, 0640), a[2], b[2];
    off_t at = 4;
    char text[64] = "";
    CHECK(in >= 0 && out >= 0 && pipe(a) == 0 && pipe(b) == 0);
    CHECK(sendfile(out, in, &at, 4) == 4 && at == 8);
    CHECK(sendfile(out, in, NULL, 100) == 14 && lseek(in, 0, SEEK_SET) == 0);
    CHECK(copy_file_range(in, NULL, out, NULL, 8, 0) == 8);
    off_t from = 0, to = 40;
    CHECK(copy_file_range(in, &from, out, &to, 3, 0) == 3 && from == 3 && to == 43);
    CHECK(splice(in, NULL, a[1], NULL, 100, 0) == 6);
    CHECK(tee(a[0], b[1], 100, 0) == 6 && read(b[0], text, sizeof text) == 6);
    printf("through tee: %s", text);
    CHECK(splice(a[0], NULL, out, NULL, 100, 0) == 6);
    struct iovec part = {"from memory\n", 12};
    CHECK(vmsplice(a[1], &part, 1, 0) == 12 && splice(a[0], NULL, out, NULL, 12, 0) == 12);
    CHECK(sendfile(a[1], out, (at = 0, &at), 12) == 12 && read(a[0], text, 12) == 12);
    printf("in the pipe: %.4s\n", text);
    /* Rex refuses these two while it records, and programs fall back to write. */
    if (sendfile(STDOUT_FILENO, in, (at = 0, &at), 4) != 4)
        CHECK(errno == EINVAL && write(STDOUT_FILENO, "one\n", 4) == 4);
    CHECK(write(a[1], "two\n", 4) == 4);
    if (splice(a[0], NULL, STDOUT_FILENO, NULL, 4, 0) != 4)
        CHECK(errno == EINVAL && read(a[0], text, 4) == 4 && write(STDOUT_FILENO, text, 4) == 4);
    struct stat s;
    CHECK(fstat(out, &s) == 0);
    printf("%ld bytes\n", (long)s.st_size);
    return guest_done();
}
