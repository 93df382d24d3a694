/* A thread removes a tree as Python's shutil.rmtree does: it lists by copied descriptors, whose numbers other
 * directories had before.
 *
 * run: racing
 * engine: native (threads)
 * shows: access, clone3, dup, fsync, getdents64, mkdir, newfstatat, rmdir, unlinkat
 * source: directory order; which thread does a piece of work
 */
#include "guest.h"

#include <stdbool.h>

enum { WIDE = 4, DEEP = 3 };

static int removed[2];

static void make(const char *at, int depth)
{
    char name[256];
    CHECK(!mkdir(at, 0755));
    for (int i = 0; i < WIDE; i++) {
        snprintf(name, sizeof name, "%s/%d%d", at, depth, i);
        if (depth < DEEP && i % 2)
            make(name, depth + 1);
        else
            close(open(name, O_CREAT | O_WRONLY, 0644));
    }
}

/* What is in a directory, through a copy of its descriptor, which is closed before any of it is removed. */
static int list(int fd, char name[][16], bool *is_directory)
{
    int n = 0;
    DIR *d = fdopendir(dup(fd));
    CHECK(d);
    for (struct dirent *e; (e = readdir(d)); ) {
        struct stat st;
        if (*e->d_name == '.')
            continue;
        CHECK(n < 2 * WIDE && !fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW));
        is_directory[n] = S_ISDIR(st.st_mode);
        snprintf(name[n++], 16, "%.15s", e->d_name);
    }
    closedir(d);
    return n;
}

static void empty(int fd, int *count)
{
    char name[2 * WIDE][16];
    bool is_directory[2 * WIDE];
    int n = list(fd, name, is_directory);
    for (int i = 0; i < n; i++) {
        if (is_directory[i]) {
            int below = openat(fd, name[i], O_RDONLY | O_DIRECTORY);
            CHECK(below >= 0);
            empty(below, count);
            close(below);
        }
        CHECK(!unlinkat(fd, name[i], is_directory[i] ? AT_REMOVEDIR : 0));
        ++*count;
    }
}

static void *clear(void *which)
{
    int i = (int)(intptr_t)which;
    char at[16];
    snprintf(at, sizeof at, "tree%d", i);
    make(at, 0);
    int unlisted = open(at, O_RDONLY | O_DIRECTORY), fd = open(at, O_RDONLY | O_DIRECTORY);
    CHECK(unlisted >= 0 && fd >= 0);
    fsync(unlisted);
    close(unlisted);
    empty(fd, &removed[i]);
    close(fd);
    CHECK(!rmdir(at));
    return NULL;
}

int main(void)
{
    for (int together = 0; together < 2; together++) {
        pthread_t thread[2];
        for (int i = 0; i < 2; i++) {
            CHECK(!pthread_create(&thread[i], NULL, clear, (void *)(intptr_t)i));
            if (!together)
                CHECK(!pthread_join(thread[i], NULL));
        }
        for (int i = 0; together && i < 2; i++)
            CHECK(!pthread_join(thread[i], NULL));
        printf("%d and %d removed, %s\n", removed[0], removed[1], access("tree0", F_OK) ? "gone" : "there");
    }
    return guest_done();
}
