/* Which PE communicates with which one, and waits for it. */
#include "trace/report/report.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"

#define MOST_ROWS 128

static double *cell_of(const struct matrix *matrix, int64_t row, int64_t column)
{
    if (row < 0 || column < 0 || row >= matrix->pes || column >= matrix->pes)
        return NULL;
    size_t at = (size_t)(row / matrix->group) * matrix->rows + (size_t)(column / matrix->group);
    return matrix->values + MATRIX_QUANTITIES * at;
}

void matrix_begin(struct matrix *matrix, const struct explain *explain)
{
    matrix->pes = explain->pes;
    matrix->group = (explain->pes + MOST_ROWS - 1) / MOST_ROWS;
    matrix->rows = (size_t)((explain->pes + matrix->group - 1) / matrix->group);
    matrix->values =
        memory_zeroed(matrix->rows * matrix->rows, MATRIX_QUANTITIES * sizeof *matrix->values);
    for (size_t i = 0; i < explain->wait_count; i++) {
        const struct wait *wait = &explain->waits[i];
        if (wait_is_for_another(explain, wait))
            cell_of(matrix, explain->lines[wait->line].pe,
                    explain->lines[wait->by].pe)[MATRIX_WAITED] += wait_seconds(explain, wait);
    }
}

void matrix_add(struct matrix *matrix, const struct summary_pair *pair)
{
    double *cell = cell_of(matrix, pair->pe, pair->peer);
    if (!cell)
        return;
    cell[MATRIX_TO] += (double)pair->to;
    cell[MATRIX_FROM] += (double)pair->from;
    cell[MATRIX_CALLS] += (double)pair->calls;
}

void matrix_write(const struct matrix *matrix, FILE *out)
{
    const char *comma = "";
    json_print(out, "{'pes':%d,'group':%d,'rows':%zu,'cells':[", matrix->pes, matrix->group,
               matrix->rows);
    for (size_t i = 0; i < matrix->rows * matrix->rows; i++) {
        const double *values = matrix->values + MATRIX_QUANTITIES * i;
        if (values[MATRIX_CALLS] == 0 && values[MATRIX_WAITED] == 0)
            continue;
        fprintf(out, "%s[%zu,%zu", comma, i / matrix->rows, i % matrix->rows);
        for (size_t k = 0; k < MATRIX_QUANTITIES; k++)
            json_print(out, ",%f", values[k]);
        fputc(']', out);
        comma = ",";
    }
    fputs("]}", out);
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->values);
}
