/* io_uring fails with ENOSYS, as on kernels without it. The program falls back to read.
 *
 * shows: io_uring_setup, openat
 * source: io_uring
 */
#include "guest.h"
#include <linux/io_uring.h>

int main(void)
{
    struct io_uring_params params = {0};
    long fd = syscall(SYS_io_uring_setup, 4, &params);
    printf("io_uring: %d\n", fd >= 0);
    if (fd < 0)
        CHECK(errno == ENOSYS || errno == EPERM);
    show_file("in.txt");
    return guest_done();
}
