/* Reads and writes memory of another process by its pid, sent by pipes or shared memory (MPI). For a process
 * outside this is refused.
 *
 * engine: native (memory of other processes)
 * shows: clone, getpid, pipe2, process_vm_readv, process_vm_writev, read, sched_yield, wait4
 * source: memory of other processes
 */
#include "guest.h"

#include <sys/uio.h>

enum { SIZE = 70000, ROUNDS = 40 };
struct common { volatile int turn; unsigned char *at; };

static unsigned sum(const unsigned char *p)
{
    unsigned n = 0;
    for (int i = 0; i < SIZE; i++)
        n = n * 31 + p[i];
    return n;
}

static void reach(pid_t pid, void *here, void *there, int is_write)
{
    struct iovec own = {here, SIZE}, its = {there, SIZE};
    ssize_t n = (is_write ? process_vm_writev : process_vm_readv)(pid, &own, 1, &its, 1, 0);
    CHECK(n == SIZE);
}

static void by_pipes(void)
{
    unsigned char *memory = malloc(SIZE), *copy = malloc(SIZE);
    int to[2], from[2], status;
    char go;
    memset(memory, 3, SIZE);
    CHECK(pipe(to) == 0 && pipe(from) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < SIZE; i++)
            memory[i] = (unsigned char)(i * 7 + getpid());
        CHECK(write(from[1], "x", 1) == 1 && read(to[0], &go, 1) == 1);
        printf("the child has %u\n", sum(memory));
        _exit(0);
    }
    CHECK(read(from[0], &go, 1) == 1);
    reach(pid, copy, memory, 0);
    printf("read %u\n", sum(copy));
    memset(copy, 9, SIZE);
    reach(pid, copy, memory, 1);
    CHECK(write(to[1], "x", 1) == 1 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void give(struct common *c, unsigned char *memory)
{
    for (int round = 0; round < ROUNDS; round++) {
        while (c->turn != 2 * round)
            sched_yield();
        for (int i = 0; i < SIZE; i++)
            memory[i] = (unsigned char)(i * round + round);
        c->at = memory;
        __sync_synchronize();
        c->turn++;
    }
}

static void by_shared_memory(void)
{
    struct common *c = shared_page();
    unsigned char *memory = malloc(SIZE), *copy = malloc(SIZE);
    unsigned all = 0;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        give(c, memory);
        while (c->turn != 2 * ROUNDS)
            sched_yield();
        _exit(0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        while (c->turn != 2 * round + 1)
            sched_yield();
        reach(pid, copy, c->at, 0);
        all = all * 31 + sum(copy);
        c->turn++;
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    printf("in rounds %u\n", all);
}

int main(void)
{
    unsigned char *memory = malloc(SIZE), *copy = malloc(SIZE);
    struct iovec here = {copy, 1}, there = {NULL, 1};
    memset(memory, 5, SIZE);
    reach(getpid(), copy, memory, 0);
    printf("own %u\n", sum(copy));
    printf("outside %zd\n", process_vm_readv(1, &here, 1, &there, 1, 0));
    by_pipes();
    by_shared_memory();
    return guest_done();
}
