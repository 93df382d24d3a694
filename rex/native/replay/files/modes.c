/* Replay: modes that the program gives to its files and directories.
 *
 * Who has the right to pass over modes uses what they forbid the owner; who replays may not have it.  So what the replay made stays open to
 * its owner until the end, when each has its mode.  The log answers the program's queries and has what was refused to it. */
#include "base/base.h"
#include "replay/files/files.h"
#include "replay/files/internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 400 };                     /* each takes a descriptor */

static struct late { int fd; ino_t inode; mode_t mode; } late[MOST];
static size_t late_count;

static void forget(ino_t inode)
{
    for (size_t i = late_count; i-- > 0; )
        if (late[i].inode == inode) {
            close(late[i].fd);
            late[i] = late[--late_count];
        }
}

void set_mode(const char *path, mode_t mode)
{
    struct stat st;
    if (lstat(path, &st))
        return;
    mode_t open_to_owner = S_ISDIR(st.st_mode) ? S_IRWXU : OPEN_TO_OWNER;
    forget(st.st_ino);
    int fd = (mode & open_to_owner) != open_to_owner && late_count < MOST ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    chmod(path, fd >= 0 ? mode | open_to_owner : mode);
    if (fd >= 0)
        late[late_count++] = (struct late){fd, st.st_ino, mode};
}

void make_dir(const char *path, mode_t mode)
{
    if (!mkdir(path, S_IRWXU))
        set_mode(path, mode);
}

bool make_closed_file(const char *path, mode_t mode)
{
    bool is_closed = (mode & (S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR);
    int file = is_closed ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR) : -1;
    if (file < 0)
        return false;
    close(file);
    set_mode(path, mode);
    return true;
}

void replay_modes_finish(void)
{
    for (size_t i = 0; i < late_count; i++) {
        char *path = text("/proc/self/fd/%d", late[i].fd);
        chmod(path, late[i].mode);
        free(path);
    }
}
