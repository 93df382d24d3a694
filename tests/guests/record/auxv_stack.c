/* Prints the auxiliary vector on the stack: AT_RANDOM bytes and facts about the machine.
 *
 * shows: arch_prctl, execve, set_tid_address
 * source: auxiliary vector, addresses (ASLR)
 */
#include "guest.h"
#include <sys/auxv.h>

int main(int argc, char **argv)
{
    const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
    CHECK(bytes && argc > 0);
    printf("AT_RANDOM");
    for (int i = 0; i < 16; i++)
        printf(" %02x", bytes[i]);
    unsigned long canary;
    __asm__("mov %%fs:0x28, %0" : "=r"(canary));
    printf("\ncanary %lx\n", canary);
    unsigned long kinds[] = {AT_HWCAP, AT_HWCAP2, AT_PAGESZ, AT_CLKTCK, AT_UID, AT_EUID, AT_GID, AT_EGID, AT_SECURE,
                             AT_PHNUM, AT_FLAGS, AT_MINSIGSTKSZ};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        printf("auxv %lu: %lx\n", kinds[i], getauxval(kinds[i]));
    printf("platform %s name %s argv %s\n", (char *)getauxval(AT_PLATFORM), (char *)getauxval(AT_EXECFN), argv[0]);
    return guest_done();
}
