/* Reads inotify events of a directory.
 *
 * live: yes
 * shows: chmod, inotify_add_watch, inotify_init1, inotify_rm_watch, read, rename, unlink
 * source: inotify
 */
#include "guest.h"
#include <sys/inotify.h>

int main(void)
{
    _Alignas(struct inotify_event) char text[4096];
    int fd = inotify_init1(0);
    CHECK(fd >= 0);
    int data = inotify_add_watch(fd, "data", IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE);
    int file = inotify_add_watch(fd, "in.txt", IN_MODIFY | IN_ATTRIB);
    CHECK(data > 0 && file > 0);
    put_file("data/new", "x");
    CHECK(rename("data/new", "data/newer") == 0 && unlink("data/newer") == 0);
    put_file("in.txt", "changed");
    CHECK(chmod("in.txt", 0600) == 0);
    ssize_t size = read(fd, text, sizeof text);
    CHECK(size > 0);
    for (char *at = text; at < text + size;) {
        struct inotify_event *event = (struct inotify_event *)at;
        printf("watch %d mask %x name %s\n", event->wd == data, event->mask, event->len ? event->name : "-");
        at += sizeof *event + event->len;
    }
    CHECK(inotify_rm_watch(fd, data) == 0);
    return guest_done();
}
