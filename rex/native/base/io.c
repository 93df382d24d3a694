/* Whole reads and writes, gone on with after a signal. */
#include "base/base.h"

bool write_whole(int fd, const void *data, size_t n)
{
    for (size_t at = 0; at < n; ) {
        ssize_t done = write(fd, (const char *)data + at, n - at);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool read_whole(int fd, void *data, size_t n)
{
    for (size_t at = 0; at < n; ) {
        ssize_t done = read(fd, (char *)data + at, n - at);
        if (!done || (done < 0 && errno != EINTR))
            return false;
        at += done > 0 ? (size_t)done : 0;
    }
    return true;
}
