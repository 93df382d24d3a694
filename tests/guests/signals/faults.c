/* Faults that are caught, survived, or fatal, in children and in the program itself.
 *
 * run: status=-6
 * shows: clone, prlimit64, rt_sigaction, tgkill
 * source: signals; ends and statuses of children
 */
#include "guest.h"
#include <sys/resource.h>
#include <setjmp.h>
static sigjmp_buf back;
static void on_fault(int s, siginfo_t *info, void *context)
{
    (void)context;
    printf("caught %d code %d at %p\n", s, info->si_code, info->si_addr);
    siglongjmp(back, 1);
}
int main(void)
{
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0 && sigaction(SIGSEGV, &a, NULL) == 0);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)16 = 1;
    signal(SIGSEGV, SIG_DFL);
    for (int way = 0; way < 5; way++) {
        pid_t child = fork();
        if (child == 0) {
            switch (way) {
            case 0: *(volatile int *)8 = 1; break;
            case 1: abort();
            case 2: __builtin_trap();
            case 3: raise(SIGFPE); break;
            case 4: exit(77);
            }
        }
        int status = wait_for(child);
        printf("way %d: status %x\n", way, status);
    }
    guest_done();
    abort();
}
