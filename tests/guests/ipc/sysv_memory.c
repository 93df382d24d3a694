/* Uses System V shared memory with and without a key. A child finds it by the key, and the parent removes it.
 *
 * run: racing
 * engine: native (System V IPC)
 * shows: clone, getpid, shmat, shmctl, shmdt, shmget
 * source: System V IPC, POSIX message queues
 */
#include "guest.h"
#include <sys/ipc.h>
#include <sys/shm.h>

static void tell(const char *when, int id)
{
    struct shmid_ds d;
    if (shmctl(id, IPC_STAT, &d)) {
        printf("%s: %d: %m\n", when, id);
        return;
    }
    printf("%s: %d has key %x, %zu bytes, made by %d, last used by %d, attached %d times, changed at %ld\n", when, id,
           (unsigned)d.shm_perm.__key, d.shm_segsz, d.shm_cpid, d.shm_lpid, (int)d.shm_nattch, (long)d.shm_ctime);
}
static void child(key_t key, const int *shared, int removed)
{
    int again = shmget(key, 0, 0);
    char *text = shmat(again, NULL, 0);
    CHECK(text != (void *)-1);
    printf("child %d finds %d, which says \"%s\"; the other says %d\n", getpid(), again, text, *shared);
    strcpy(text, "from the child");
    tell("child", again);
    const int *once_more = shmat(removed, NULL, SHM_RDONLY);
    CHECK(once_more != (void *)-1);
    printf("and %d, of what is removed\n", *once_more);
    CHECK(shmdt(text) == 0);
    _exit(3);
}
int main(void)
{
    key_t key = 0x5245580 + getpid();
    int nobodys = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), keyed = shmget(key, 100000, IPC_CREAT | IPC_EXCL | 0600);
    printf("%d %d, there is none of %x: %d\n", nobodys, keyed, (unsigned)key + 1, shmget(key + 1, 0, 0));
    printf("twice: %d %m\n", shmget(key, 100000, IPC_CREAT | IPC_EXCL | 0600));
    int *shared = shmat(nobodys, NULL, 0);
    char *text = shmat(keyed, NULL, 0);
    CHECK(shared != (void *)-1 && text != (void *)-1);
    CHECK(shmctl(nobodys, IPC_RMID, NULL) == 0);
    tell("removed, attached", nobodys);
    *shared = 42;
    strcpy(text, "from the parent");
    pid_t pid = fork();
    if (!pid)
        child(key, shared, nobodys);
    CHECK(WEXITSTATUS(wait_for(pid)) == 3);
    printf("it says \"%s\"\n", text);
    tell("after the child", keyed);
    CHECK(shmdt(shared) == 0);
    tell("detached", nobodys);
    struct shm_info all;
    int most = shmctl(0, SHM_INFO, (void *)&all);
    printf("most: %d of %d\n", most, all.used_ids);
    CHECK(shmctl(keyed, IPC_RMID, NULL) == 0 && shmdt(text) == 0);
    printf("gone: %d %m\n", shmctl(keyed, IPC_RMID, NULL));
    return guest_done();
}
