/* Fixed mappings at any place, over what a tracer may have mapped there, or that place unmapped, as language runtimes and sanitizers
 * do. Calls before and after give the same, also those of a thread meanwhile, and the mappings hold what the program writes.
 * Who wishes for a free place, or changes what is not mapped, gets what it gets without a tracer.
 *
 * engine: native (threads)
 * shows: mmap, munmap, mprotect, madvise, mincore, shmat, clock_gettime
 * source: auxiliary vector, addresses (ASLR); shared memory, mapped files
 */
#include "guest.h"

#include <sys/shm.h>

static const struct { uint64_t at, size; } places[] = {
    {0x7ffff8000000, 0x7000000}, {0x2e0000000000, 64 << 20}, {0x555552000000, 0x100000}, {0x200000000000, 0x200000000000},
};

static void query(void)
{
    struct timespec now;
    struct stat st;
    for (int i = 0; i < 60; i++) {
        CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0 && stat("in.txt", &st) == 0);
        printf("%ld ", now.tv_nsec);
    }
    puts("");
    put_file("made.txt", "made");
    show_file("in.txt");
}

/* Makes calls while the main thread maps. */
static void *calls(void *unused)
{
    (void)unused;
    struct timespec now;
    struct stat st;
    for (int i = 0; i < 1000; i++)
        CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec && stat("in.txt", &st) == 0 && S_ISREG(st.st_mode));
    return NULL;
}

static void try(uint64_t at, uint64_t size, int how)
{
    pthread_t thread;
    query();
    CHECK(pthread_create(&thread, NULL, calls, NULL) == 0);
    if (how == 2)
        CHECK(munmap((void *)at, size) == 0);
    else {
        char *made = mmap((void *)at, size, how ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        CHECK(made == (char *)at);
        for (uint64_t i = 0; how && i < size; i += size / 4096 * 4)
            CHECK(!made[i] && (made[i] = 7));
        if (how && size < 1 << 27)
            for (uint64_t i = 0; i < size; i += 4096)
                CHECK((!made[i] || made[i] == 7) && (made[i] = 9));
    }
    CHECK(pthread_join(thread, NULL) == 0);
    query();
    query();
    pid_t child = fork();
    if (child == 0) {
        query();
        exit(5);
    }
    CHECK(wait_for(child) == 5 << 8);
    exit(3);
}

enum { PAGE = 4096, WAYS = 6 };

/* Of a page where nothing is. */
static void wish(char *at, int way)
{
    unsigned char there;
    query();
    switch (way) {
    case 0: CHECK(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == at); break;
    case 1: CHECK(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at); break;
    case 2: CHECK(mprotect(at, PAGE, PROT_NONE) < 0 && errno == ENOMEM); break;
    case 3: CHECK(madvise(at, PAGE, MADV_DONTNEED) < 0 && errno == ENOMEM); break;
    case 4: CHECK(mincore(at, PAGE, &there) < 0 && errno == ENOMEM); break;
    default: {
        int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
        CHECK(id >= 0 && shmat(id, at, SHM_REMAP) == at && shmctl(id, IPC_RMID, NULL) == 0);
    }
    }
    query();
    exit(4);
}

int main(void)
{
    for (int way = 0; way < WAYS; way++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            wish((char *)0x7ffff9000000, way);
        printf("way %d: %#x\n", way, wait_for(child));
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int how = 0; how < 3; how++) {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0)
                try(places[i].at, places[i].size, how);
            printf("%zu %d: %#x\n", i, how, wait_for(child));
        }
    return guest_done();
}
