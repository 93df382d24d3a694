/* Lengths of x86-64 instructions. */
#ifndef REX_LENGTH_H
#define REX_LENGTH_H

#include <stdbool.h>
#include <stddef.h>

/* How many of the n bytes the first instruction takes, 0 if there is none; *opcode_at is where its opcode begins, or vex. */
size_t instruction_length(const unsigned char *code, size_t n, size_t *opcode_at);

/* Whether an instruction has its opcode at this place of code, or begins there: most ways of reading what is
 * before come to it. */
bool instruction_begins(const unsigned char *code, size_t n, size_t at);

/* By its modrm: none of its operands is in memory. */
static inline bool is_between_registers(unsigned char modrm)
{
    return modrm >> 6 == 3;
}

#endif
