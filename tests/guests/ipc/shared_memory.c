/* Processes share memory and semaphores: anonymous, by memfd, and by a POSIX name.
 *
 * shows: clone, ftruncate, getpid, memfd_create, mmap, unlink
 * source: shared memory, mapped files
 */
#include "guest.h"
#include <semaphore.h>

int main(void)
{
    struct {
        sem_t full, empty;
        int value;
    } *box = shared_page();
    int memory = memfd_create("memory", 0), sum = 0;
    char name[64];
    snprintf(name, sizeof name, "/rex-guest-%d", getpid());
    int named = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(memory >= 0 && named >= 0 && shm_unlink(name) == 0);
    CHECK(ftruncate(memory, 4096) == 0 && ftruncate(named, 4096) == 0);
    int *two = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    int *three = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, named, 0);
    CHECK(sem_init(&box->full, 1, 0) == 0 && sem_init(&box->empty, 1, 1) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 50; i++) {
            CHECK(sem_wait(&box->empty) == 0);
            box->value = i;
            *two += i;
            CHECK(sem_post(&box->full) == 0);
        }
        *three = 4711;
        _exit(0);
    }
    for (int i = 0; i < 50; i++) {
        CHECK(sem_wait(&box->full) == 0);
        sum += box->value;
        CHECK(sem_post(&box->empty) == 0);
    }
    CHECK(wait_for(child) == 0);
    printf("sum %d %d, %d\n", sum, *two, *three);
    return guest_done();
}
