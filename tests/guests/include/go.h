/* The tables by which the engine knows the functions of Go's runtime: here those that are marked RUNTIME.  A guest with them is
 * compiled with -no-pie -fno-omit-frame-pointer -fno-asynchronous-unwind-tables. */
#ifndef GO_H
#define GO_H
#include "guest.h"

#define RUNTIME __attribute__((section("runtime_text"), noinline))
#define MS 1000000L

__attribute__((noinline)) static long nanotime(void)
{
    struct timespec now;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&now) : "rcx", "r11", "memory");
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

__asm__(".section .gopclntab,\"a\",@progbits\n"
        ".balign 8\n"
        "go_table: .long 0xfffffff1\n .byte 0, 0, 1, 8\n"
        ".quad 3, 0, 0, go_names - go_table, 0, 0, 0, go_functions - go_table\n"
        "go_names: .asciz \"main.work\"\n"
        "go_runtime: .asciz \"runtime.isInTime\"\n"
        ".balign 8\n"
        "go_functions: .long 0, go_first - go_functions, __start_runtime_text, go_second - go_functions\n"
        ".long __stop_runtime_text, go_first - go_functions, 0x7fffffff, 0\n"
        "go_first: .long 0, 0\n"
        "go_second: .long 0, go_runtime - go_names\n"
        ".zero 64\n"
        ".text\n");

#endif
