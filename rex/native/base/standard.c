/* Standard streams that the caller has closed.  The engine's own files must not take their numbers: a message would be
 * written into one, and the tracee would inherit it.  FD_CLOEXEC on 0, 1 or 2 says: the program does not have it. */
#include "base/base.h"

#include <fcntl.h>

void standard_hold(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && fd <= 2)
        ;
    if (fd > 2)
        close(fd);
}
