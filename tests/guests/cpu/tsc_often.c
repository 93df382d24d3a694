/* Reads the time-stamp counter often, as timers, profilers and runtimes do. All values come from the log, and
 * nothing else changes under the tracer.
 *
 * engine: native (threads)
 * shows: clone, clone3, mmap, rdtsc, tgkill
 * source: time-stamp counter
 */
#include "guest.h"
#include <x86intrin.h>

enum { OFTEN = 700, THREADS = 4 };

static unsigned long long read_plain(void)
{
    unsigned long long a, d;
    __asm__ volatile("rdtsc\n shl $32, %1\n" : "=a"(a), "=d"(d));
    return a | d;
}

static unsigned long long read_with_processor(unsigned *processor)
{
    return __rdtscp(processor);
}

static unsigned long long sum_of(const char *who)
{
    unsigned long long last = read_plain(), sum = 0;
    unsigned processor;
    for (int i = 0; i < OFTEN; i++) {
        unsigned long long now = read_plain(), then = read_with_processor(&processor);
        CHECK(now > last && then > now);
        sum = sum * 31 + (now - last) + processor;
        last = then;
    }
    if (who)
        printf("%s: sum %llu, last %llu\n", who, sum, last);
    return sum + last;
}

/* What rdtsc leaves as it was: flags, registers, and the stack, also below its pointer. */
static void look_around(void)
{
    for (int i = 0; i < 40; i++) {
        uint64_t carry = 0, overflow = 0, below = 0, others = 0, plain = i % 2 ? 0x7fffffff : 5;
        __asm__ volatile("mov $0x1234, %%r11d\n mov %%r11, -8(%%rsp)\n mov %%r11, -120(%%rsp)\n mov $7, %%esi\n mov $8, %%r8d\n mov $9, %%edi\n"
                         "mov %4, %%ecx\n add $1, %%ecx\n stc\n"
                         "rdtsc\n mov %%rax, %%r10\n"
                         "setc %b0\n mov -8(%%rsp), %2\n sub -120(%%rsp), %2\n lea (%%rsi,%%r8), %3\n add %%rdi, %3\n"
                         "mov %4, %%eax\n add $1, %%eax\n rdtsc\n mov %%rax, %%r10\n seto %b1\n"
                         : "+&r"(carry), "+&r"(overflow), "=&r"(below), "=&r"(others) : "r"((uint32_t)plain)
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r10", "r11", "cc", "memory");
        CHECK(carry == 1 && overflow == (uint64_t)(i % 2) && below == 0 && others == 24);
    }
}

/* A loop that is entered between the instruction and the one after it. */
static unsigned long long come_from_elsewhere(void)
{
    unsigned long long a = 5, d = 0, rounds = 0, sum = 0;
    for (int i = 0; i < 20; i++)
        __asm__ volatile("mov $1, %%eax\n mov $2, %%edx\n mov $3, %2\n jmp 2f\n"
                         "1: rdtsc\n 2: shl $32, %%rdx\n or %%rdx, %%rax\n add %%rax, %3\n dec %2\n jnz 1b\n"
                         : "=&a"(a), "=&d"(d), "+&r"(rounds), "+&r"(sum) : : "cc");
    return sum;
}

static void make_code(void)
{
    static const unsigned char reads[] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0xc3},
                               other[] = {0x48, 0xc7, 0xc0, 0x2a, 0x00, 0x00, 0x00, 0xc3};
    unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned long long (*made)(void) = (unsigned long long (*)(void))code, last = 0;
    CHECK(code != MAP_FAILED);
    memcpy(code, reads, sizeof reads);
    for (int i = 0; i < 50; i++) {
        unsigned long long now = made();
        CHECK(now > last);
        last = now;
    }
    memcpy(code + 4096, code, 64);
    CHECK(!memcmp(code + 4096, reads, sizeof reads));
    last = ((unsigned long long (*)(void))(code + 4096))();
    memcpy(code, other, sizeof other);
    CHECK(made() == 42);
    printf("made code: %llu\n", last);
}

static volatile sig_atomic_t handled;
static unsigned long long in_handler;

static void handler(int sig)
{
    unsigned processor;
    in_handler = in_handler * 31 + read_plain() + read_with_processor(&processor);
    handled += sig == SIGUSR1;
}

static void *work(void *result)
{
    *(unsigned long long *)result = sum_of(NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned long long sums[THREADS];
    signal(SIGUSR1, handler);
    sum_of("first");
    look_around();
    printf("from elsewhere: %llu\n", come_from_elsewhere());
    make_code();
    for (int i = 0; i < 20; i++) {
        raise(SIGUSR1);
        sum_of(i % 10 ? NULL : "between signals");
    }
    printf("in %d signals: %llu\n", (int)handled, in_handler);
    pid_t child = fork();
    if (child == 0) {
        sum_of("child");
        _exit(0);
    }
    CHECK(wait_for(child) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, work, &sums[i]));
    for (int i = 0; i < THREADS; i++) {
        CHECK(!pthread_join(threads[i], NULL));
        printf("thread %d: %llu\n", i, sums[i]);
    }
    return guest_done();
}
