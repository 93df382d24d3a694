/* The runtime of go_runtime.c, linked statically as Go's, on a stack of its own, with a 7-byte instruction before
 * the call.
 *
 * run: racing, flags=-static -no-pie
 * engine: native (threads)
 * shows: clock_gettime, clone3, futex, sched_yield
 * source: clocks, also by the vDSO
 */
static __thread unsigned char other_stack[4096] __attribute__((aligned(16)));
#define READINGS 400
#define ASK(result, clock, t) do { \
    unsigned char *top = other_stack + sizeof other_stack; \
    __asm__ volatile("xchg %%rsp, %1\n movq $228, %%rax\n syscall\n xchg %%rsp, %1" \
                     : "=&a"(result), "+b"(top) : "D"(clock), "S"(t) : "rcx", "r11", "memory"); \
} while (0)
#include "go_runtime.c"
