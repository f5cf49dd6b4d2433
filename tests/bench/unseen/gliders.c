/*
 * gliders.c -- Conway's Life on a torus of column strips
 *
 * Border columns are packed and put without waiting, followed by a flag.
 * After every eighth generation each PE also looks at some cells in the
 * middle of its right neighbour's strip.  The board is full of gliders, so
 * what must be there is known.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 224
#define COLS 256
#define WIDTH (COLS + 2)
#define HEIGHT (ROWS + 2)
#define EVERY 8
#define LOOK 14 /* cells, ROWS / LOOK rows apart */

typedef unsigned char Cell;

static Cell board[2][HEIGHT][WIDTH];
static Cell inbox[2][2][ROWS]; /* by side and by generation */
static long flag[2];           /* by side: generations that came */
static int totalCols;

static const char *shape[3] = {".#.", "..#", "###"};

/* is there a cell after so many generations (a multiple of 4)? */
static int alive(int row, int col, long generation)
{
    int shift = (int)(generation / 4 % ((long)ROWS * totalCols));
    int y = ((row - shift) % ROWS + ROWS) % ROWS,
        x = ((col - shift) % totalCols + totalCols) % totalCols;
    int blockY = y / 16, blockX = x / 16;

    if ((blockY * 7 + blockX * 3 + blockY * blockX) % 5 == 0)
        return 0;
    y = y % 16 - 6;
    x = x % 16 - 6;
    return y >= 0 && y < 3 && x >= 0 && x < 3 && shape[y][x] == '#';
}

static void evolve(Cell to[HEIGHT][WIDTH], Cell from[HEIGHT][WIDTH])
{
    int y, x;

    for (y = 1; y <= ROWS; y++) {
        const Cell *restrict a = from[y - 1], *restrict b = from[y], *restrict c = from[y + 1];
        Cell *restrict t = to[y];
        for (x = 1; x <= COLS; x++) {
            int n = a[x - 1] + a[x] + a[x + 1] + b[x - 1] + b[x + 1] + c[x - 1] + c[x] + c[x + 1];
            t[x] = (Cell)((n | b[x]) == 3);
        }
    }
}

int main(int argc, char *argv[])
{
    int steps = 500, me, npes, left, right, y, x, i, bad = 0;
    long g, looked = 0;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);
    steps = (steps + 3) / 4 * 4;

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    left = (me + npes - 1) % npes;
    right = (me + 1) % npes;
    totalCols = COLS * npes;
    for (y = 0; y < ROWS; y++)
        for (x = 0; x < COLS; x++)
            board[0][y + 1][x + 1] = (Cell)alive(y, me * COLS + x, 0);
    shmem_barrier_all();

    for (g = 0; g < steps; g++) {
        Cell(*now)[WIDTH] = board[g & 1];
        Cell packed[2][ROWS];

        for (y = 0; y < ROWS; y++) {
            packed[0][y] = now[y + 1][1];
            packed[1][y] = now[y + 1][COLS];
        }
        shmem_putmem_nbi(inbox[1][g & 1], packed[0], ROWS, left);
        shmem_putmem_nbi(inbox[0][g & 1], packed[1], ROWS, right);
        shmem_quiet();
        shmem_long_p(&flag[1], g + 1, left);
        shmem_long_p(&flag[0], g + 1, right);
        shmem_long_wait_until(&flag[0], SHMEM_CMP_GT, g);
        shmem_long_wait_until(&flag[1], SHMEM_CMP_GT, g);
        for (y = 0; y < ROWS; y++) {
            now[y + 1][0] = inbox[0][g & 1][y];
            now[y + 1][COLS + 1] = inbox[1][g & 1][y];
        }
        memcpy(now[0], now[ROWS], WIDTH);
        memcpy(now[ROWS + 1], now[1], WIDTH);
        if (g % EVERY == 0) {
            /* the neighbour keeps this generation until it has our next column */
            Cell sample[LOOK];
            shmem_uchar_iget(sample, &now[1][COLS / 2], 1, ROWS / LOOK * WIDTH, LOOK, right);
            for (i = 0; i < LOOK; i++)
                bad += sample[i] != alive(i * (ROWS / LOOK), right * COLS + COLS / 2 - 1, g);
            looked += LOOK;
        }
        evolve(board[(g + 1) & 1], now);
    }

    for (y = 0; y < ROWS; y++)
        for (x = 0; x < COLS; x++)
            bad += board[steps & 1][y + 1][x + 1] != alive(y, me * COLS + x, steps);
    printf("gliders: PE %d, %d generations, looked at %ld cells, %s\n", me, steps, looked,
           bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
