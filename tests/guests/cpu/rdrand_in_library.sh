#!/bin/sh
# Runs rdrand in a library of five megabytes, as that of D.
#
# engine: native (rdrand)
# shows: dup2, execve, newfstatat, openat, pipe2, rdrand, read, wait4, write
# source: random bytes: getrandom, /dev/urandom, rdrand
if ! command -v gcc > /dev/null || ! grep -qw rdrand /proc/cpuinfo; then echo "no compiler, or no such instruction"; echo "guest done"; exit; fi
cat > draw.c << 'END'
__asm__(".text\n.fill 5000000, 1, 0x90\n");
unsigned long draw(void)
{
    unsigned long n;
    unsigned char good = 0;
    while (!good)
        __asm__ volatile("rdrand %0; setc %1" : "=r"(n), "=qm"(good) : : "cc");
    return n;
}
END
cat > main.c << 'END'
#include <stdio.h>
unsigned long draw(void);
int main(void) { printf("%lx %lx\n", draw(), draw()); return 0; }
END
gcc -shared -fPIC -o libdraw.so draw.c && gcc -o main main.c -L. -ldraw -Wl,-rpath,. || exit 1
./main; echo "status $?"
echo "guest done"
