/* Constants and call distances with the bytes of rdrand or rdseed must stay unchanged.
 *
 * shows: rdrand
 * source: random bytes: getrandom, /dev/urandom, rdrand
 */
#include "guest.h"

/* A value that holds such bytes, before an instruction that acts on the carry flag. */
#define VALUE(constant) \
    ({ \
        unsigned value; \
        __asm__ volatile("mov $" constant ", %0; jc 1f; 1:" : "=r"(value)); \
        value; \
    })

/* A function as far back from its call as such bytes say. */
__asm__(".pushsection .text\n"
        ".globl far\n"
        "far: mov $7, %eax\n"
        "ret\n"
        ".skip 0x38f0e5 - 6, 0x90\n"
        ".globl near\n"
        "near: call far\n"                 /* e8 .. 0f c7 ff */
        "adc $0, %eax\n"
        "ret\n"
        ".popsection");
int near(void);

int main(void)
{
    printf("%x %x %x\n", VALUE("0xfff1c70f"), VALUE("0xf5c70f11"), VALUE("0x83f0c70f"));
    CHECK(VALUE("0xfff1c70f") == 0xfff1c70fu);
    CHECK(near() == 7 || near() == 8);
    puts(TOKEN);
    return 0;
}
