/* A little assembler for BPF programs: each function appends one instruction, or two, to `code`. */
#ifndef ASSEMBLER_H
#define ASSEMBLER_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CODE 1024
#define DROPS 64

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FRAME };

static struct bpf_insn code[CODE];
static int length;
static int drops[DROPS], drop_count; /* jumps to the end that drops the packet */

static inline void emit(int operation, int to, int from, int offset, int number)
{
    if (length == CODE)
        abort();
    code[length++] = (struct bpf_insn){.code = (uint8_t)operation,
                                       .dst_reg = (uint8_t)to & 15,
                                       .src_reg = (uint8_t)from & 15,
                                       .off = (int16_t)offset,
                                       .imm = number};
}

/* to = to OPERATION number, or register; 64 bits. */
static inline void compute(int operation, int to, int number)
{
    emit(BPF_ALU64 | BPF_K | operation, to, 0, 0, number);
}

static inline void compute_with(int operation, int to, int from)
{
    emit(BPF_ALU64 | BPF_X | operation, to, from, 0, 0);
}

static inline void set(int to, int from)
{
    compute_with(BPF_MOV, to, from);
}

static inline void set_number(int to, int number)
{
    compute(BPF_MOV, to, number);
}

static inline void set_map(int to, int map)
{
    emit(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
    emit(0, 0, 0, 0, 0);
}

static inline void set_long(int to, uint64_t number)
{
    emit(BPF_LD | BPF_DW | BPF_IMM, to, 0, 0, (int)(uint32_t)number);
    emit(0, 0, 0, 0, (int)(uint32_t)(number >> 32));
}

static inline void load(int size, int to, int address, size_t offset)
{
    emit(BPF_LDX | BPF_MEM | size, to, address, (int)offset, 0);
}

static inline void store(int size, int address, size_t offset, int from)
{
    emit(BPF_STX | BPF_MEM | size, address, from, (int)offset, 0);
}

static inline void call(int function)
{
    emit(BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

/* Jumps, if `left` CONDITION number, to where land() will be called with the result. */
static inline int jump_if(int condition, int left, int number)
{
    emit(BPF_JMP | BPF_K | condition, left, 0, 0, number);
    return length - 1;
}

static inline int jump_if_register(int condition, int left, int right)
{
    emit(BPF_JMP | BPF_X | condition, left, right, 0, 0);
    return length - 1;
}

/* Jumps in any case, as above. */
static inline int jump(void)
{
    emit(BPF_JMP | BPF_JA, 0, 0, 0, 0);
    return length - 1;
}

static inline void land(int from)
{
    code[from].off = (int16_t)(length - from - 1);
}

static inline void jump_back_if(int condition, int left, int number, int target)
{
    emit(BPF_JMP | BPF_K | condition, left, 0, target - length - 1, number);
}

static inline void drop(int jump)
{
    if (drop_count == DROPS)
        abort();
    drops[drop_count++] = jump;
}

/* to = the larger of both. */
static inline void raise_to(int to, int other)
{
    int larger = jump_if_register(BPF_JGE, to, other);
    set(to, other);
    land(larger);
}

#endif
