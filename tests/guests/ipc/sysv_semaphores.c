/* Processes race for System V semaphores. What they write to shared memory shows the order in which they got them.
 *
 * run: racing
 * engine: native (System V IPC)
 * shows: clock_nanosleep, clone, getpid, getppid, semctl, semget, semop, semtimedop, shmat, shmctl, shmget
 * source: System V IPC, POSIX message queues
 */
#include "guest.h"
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>

enum { WORKERS = 4, ROUNDS = 40, LOCK = 0, LEFT = 1, GATE = 2, MANY = 3 };
static int set;
static struct { int count; char order[WORKERS * ROUNDS + 1]; } *shared;
static int memory, maker;
static void remove_all(void)
{
    if (getpid() == maker) {
        semctl(set, 0, IPC_RMID);
        shmctl(memory, IPC_RMID, NULL);
    }
}
static int move(int number, int by, int flags)
{
    struct sembuf op = {(unsigned short)number, (short)by, (short)flags};
    return flags & SEM_UNDO ? (int)syscall(SYS_semop, set, &op, 1L) : semop(set, &op, 1);
}
static void work(int worker)
{
    int tries = 0;
    shared = shmat(shmget(getppid(), 0, 0), NULL, 0);
    CHECK(shared != (void *)-1);
    CHECK(move(GATE, 0, 0) == 0);                      /* until it is open */
    for (int i = 0; i < ROUNDS; i++) {
        while (i % 4 == 0 && move(LOCK, -1, IPC_NOWAIT | SEM_UNDO)) {
            CHECK(errno == EAGAIN && ++tries);
            nap_ms(1);
        }
        CHECK(i % 4 == 0 || move(LOCK, -1, SEM_UNDO) == 0);
        shared->order[shared->count++] = (char)('a' + worker);
        for (volatile int k = 0; k < 200 * (i % 7); k++) {
        }
        if (i == ROUNDS - 1 && worker % 2)
            break;                                     /* its end gives it back */
        CHECK(move(LOCK, 1, SEM_UNDO) == 0);
    }
    if (!(worker % 2))
        CHECK(move(LEFT, 1, 0) == 0);
    printf("worker %d tried %d times in vain, had %d as value\n", worker, tries, semctl(set, LEFT, GETVAL));
    _exit(0);
}
int main(void)
{
    pid_t pid[WORKERS];
    unsigned short values[3] = {1, 0, 1};
    memory = shmget(getpid(), sizeof *shared, IPC_CREAT | 0600);
    set = semget(getpid(), MANY, IPC_CREAT | 0600);
    printf("%d %d\n", memory, set);
    maker = getpid();
    atexit(remove_all);                                /* whatever comes between */
    CHECK(semctl(set, 0, SETALL, values) == 0);
    shared = shmat(memory, NULL, 0);
    for (int i = 0; i < WORKERS; i++)
        if ((pid[i] = fork()) == 0)
            work(i);
    CHECK(semctl(set, GATE, SETVAL, 0) == 0);
    CHECK(move(LEFT, -WORKERS / 2, 0) == 0);
    for (int i = 0; i < WORKERS; i++)
        wait_for(pid[i]);
    printf("%s\n", shared->order);
    struct timespec soon = {0, 20000000};
    struct sembuf never = {LEFT, -1, 0};
    printf("never: %d %m\n", semtimedop(set, &never, 1, &soon));
    CHECK(semctl(set, 0, GETALL, values) == 0);
    printf("%d %d %d, last by %d of %d\n", values[0], values[1], values[2], semctl(set, LOCK, GETPID), getpid());
    remove_all();
    printf("gone: %d %m\n", move(LOCK, -1, 0));
    return guest_done();
}
