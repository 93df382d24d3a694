/* Two threads make a directory each, one through another process, in the other order than recorded. A process
 * removes both.
 *
 * run: racing
 * engine: native (threads)
 * shows: clone3, getdents64, getrandom, mkdir, pipe2, read, rmdir, sched_yield, unlinkat, wait4
 * source: names, renames, files without a name; which thread does a piece of work
 */
#include "guest.h"
#include "draws.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ask[2], answer[2];
static _Atomic int done;
static void other_process(void)
{
    char byte;
    CHECK(read(ask[0], &byte, 1) == 1);
    CHECK(mkdir("theirs", 0700) == 0);
    CHECK(write(answer[1], "y", 1) == 1);
    _exit(0);
}
static void *has_it_made(void *unused)
{
    char byte;
    draw_often(3000);
    pthread_mutex_lock(&lock);
    CHECK(write(ask[1], "x", 1) == 1 && read(answer[0], &byte, 1) == 1);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *makes_it(void *unused)
{
    for (volatile int i = 0; i < 40000000; i++)
        ;
    pthread_mutex_lock(&lock);
    CHECK(mkdir("ours/one", 0700) == 0);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *comes_round(void *unused)
{
    while (!done)
        sched_yield();
    return unused;
}
static void remove_all(void)
{
    DIR *d = opendir("ours");
    for (struct dirent *e; d && (e = readdir(d)); )
        if (*e->d_name != '.')
            printf("%s %d\n", e->d_name, unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR));
    printf("%d %d\n", rmdir("ours"), rmdir("theirs"));
}
int main(void)
{
    pthread_t one, two, three;
    CHECK(pipe(ask) == 0 && pipe(answer) == 0 && mkdir("ours", 0700) == 0);
    if (fork() == 0)
        other_process();
    CHECK(pthread_create(&one, NULL, has_it_made, NULL) == 0 && pthread_create(&two, NULL, makes_it, NULL) == 0);
    CHECK(pthread_create(&three, NULL, comes_round, NULL) == 0);
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(two, NULL) == 0);
    done = 1;
    CHECK(pthread_join(three, NULL) == 0);
    wait(NULL);
    if (fork() == 0) {
        remove_all();
        exit(0);
    }
    wait(NULL);
    return guest_done();
}
