/* The processor's counter, which programs read without a call. */
#include "engine.h"

#include <sys/prctl.h>

/* rdtsc and rdtscp fault, because the first process asked for that. */
bool tsc_emulate(struct task *t)
{
    unsigned char code[3] = {0};
    struct user_regs_struct r = regs_get(t);
    if (!mem_read(t->tid, r.rip, code, 3) && !mem_read(t->tid, r.rip, code, 2))
        return false;
    bool plain = code[0] == 0x0f && code[1] == 0x31;
    bool aux = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
    if (!plain && !aux)
        return false;
    uint64_t value = 0;
    uint32_t ecx = 0;
    handler->tsc(t, aux, &value, &ecx);
    r.rax = (uint32_t)value;
    r.rdx = value >> 32;
    if (aux)
        r.rcx = ecx;
    r.rip += aux ? 3 : 2;
    regs_set(t, &r);
    return true;
}

/* Sanitizers and valgrind read it in our name: REX_TSC=1 leaves it to us. */
void tsc_allow(bool allowed)
{
    const char *own = getenv("REX_TSC");
    if (own && *own == '1')
        return;
    prctl(PR_SET_TSC, allowed ? PR_TSC_ENABLE : PR_TSC_SIGSEGV, 0, 0, 0);
}
