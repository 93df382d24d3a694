/* Prints addresses of code, heap, stack, arguments and environment, which programs print, hash and sort by.
 *
 * engine: native (threads)
 * shows: brk, clone, clone3, execve, futex, madvise, mmap, mprotect
 * source: auxiliary vector, addresses (ASLR); environment, arguments
 */
#include "guest.h"

static int zero, one = 1;
static void *in_thread(void *arg)
{
    int local;
    printf("thread: stack %p heap %p\n", (void *)&local, arg);
    return NULL;
}
int main(int argc, char **argv, char **envp)
{
    void *small = malloc(10), *large = malloc(1 << 20), *map;
    map = mmap(NULL, 12345, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("main %p zero %p one %p stack %p\n", (void *)main, (void *)&zero, (void *)&one, (void *)&argc);
    printf("printf %p brk %p environment %p arguments %p\n", (void *)printf, sbrk(0), (void *)envp[0], (void *)argv[0]);
    printf("small %p large %p map %p\n", small, large, map);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, in_thread, malloc(100)) == 0 && pthread_join(thread, NULL) == 0);
    if (argc > 1)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], "again", (char *)NULL);
        _exit(1);
    }
    CHECK(wait_for(child) == 0);
    return guest_done();
}
