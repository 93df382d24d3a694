#include "guest.h"
#include <linux/io_uring.h>
/* io_uring is not there, as on kernels without it; the program reads by other means. */
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
