/* Names of files depend on timing. Another process uses the names that a listing returns.
 *
 * run: racing
 * engine: native (threads)
 * shows: clock_nanosleep, clone3, getdents64, mkdir, newfstatat, read, rename, rmdir, sched_yield, unlink
 * source: names, renames, files without a name; directory order
 */
#include "guest.h"

static volatile int begun;
static volatile unsigned long pace;

static void *begin(void *unused)
{
    nap_ms(2);
    begun = 1;
    return unused;
}

static void *name(void *unused)
{
    char first[40], last[40], below[60];
    struct stat st;
    snprintf(first, sizeof first, "store/.part-%012lu", pace);
    snprintf(last, sizeof last, "store/named-%012lu", pace);
    CHECK(stat(last, &st) == -1 && errno == ENOENT);
    put_file(first, "some bytes");
    CHECK(rename(first, last) == 0);
    snprintf(last, sizeof last, "store/below-%012lu", pace);
    snprintf(below, sizeof below, "%s/part", last);
    CHECK(stat(below, &st) == -1 && errno == ENOENT);
    CHECK(mkdir(last, 0755) == 0);
    put_file(below, "some more");
    return unused;
}

static void read_whole(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0 && close(fd) == 0 && unlink(path) == 0);
    printf("%.6s: %s\n", path + sizeof "store", text);
}

static void *go_by_listing(void *unused)
{
    char names[2][256] = {"", ""}, path[320];
    DIR *d = opendir("store");
    CHECK(d);
    for (struct dirent *e; (e = readdir(d)); )
        if (e->d_name[0] != '.')
            snprintf(names[e->d_name[0] == 'b'], sizeof names[0], "%s", e->d_name);
    closedir(d);
    snprintf(path, sizeof path, "store/%s", names[0]);
    read_whole(path);
    snprintf(path, sizeof path, "store/%s/part", names[1]);
    read_whole(path);
    snprintf(path, sizeof path, "store/%s", names[1]);
    CHECK(rmdir(path) == 0);
    return unused;
}

static void in_child(void *(*work)(void *))
{
    pthread_t thread;
    pid_t child = fork();
    if (!child) {
        CHECK(pthread_create(&thread, NULL, begin, NULL) == 0);
        for (; !begun; sched_yield())
            pace++;
        CHECK(pthread_join(thread, NULL) == 0);
        run_threads(1, work);
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
}

int main(void)
{
    CHECK(mkdir("store", 0755) == 0);
    in_child(name);
    in_child(go_by_listing);
    return guest_done();
}
