/** @file matrix.c  Figures and matrices for people: few digits, aligned, never wider than a page. */
#include "algorithms/cli/result.h"

#include <math.h>
#include <string.h>

enum { PAGE = 100, GAP = 2 };

const char *weir__cli_figure(double value, char room[FIGURE_ROOM])
{
    double size = fabs(value);
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (size != 0 && (size < 0.1 || size >= 1e9))
        snprintf(room, FIGURE_ROOM, "%.3g", value);
    else
        snprintf(room, FIGURE_ROOM, "%.*f", decimals, value);
    return room;
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static int label_width(const weir__cli_matrix *matrix, const char *corner)
{
    int width = (int)strlen(corner);
    for (uint32_t row = 0; row < matrix->rows; row++)
        width = wider(width, matrix->row(matrix->user, row));
    return width;
}

/* One width for all columns keeps the parts of a wide matrix alike. */
static int cell_width(const weir__cli_matrix *matrix)
{
    char room[FIGURE_ROOM];
    int width = 1;
    for (uint32_t column = 0; column < matrix->columns; column++) {
        width = wider(width, matrix->column(matrix->user, column));
        for (uint32_t row = 0; row < matrix->rows; row++)
            width = wider(width, matrix->cell(matrix->user, row, column, room));
    }
    return width;
}

static void print_part(FILE *file, const weir__cli_matrix *matrix, const char *corner, int label,
                       int cell, uint32_t first, uint32_t end)
{
    char room[FIGURE_ROOM];
    fprintf(file, "  %-*s", label, corner);
    for (uint32_t column = first; column < end; column++)
        fprintf(file, "%*s", cell + GAP, matrix->column(matrix->user, column));
    fputc('\n', file);
    for (uint32_t row = 0; row < matrix->rows; row++) {
        fprintf(file, "  %-*s", label, matrix->row(matrix->user, row));
        for (uint32_t column = first; column < end; column++)
            fprintf(file, "%*s", cell + GAP, matrix->cell(matrix->user, row, column, room));
        fputc('\n', file);
    }
}

void weir__cli_matrix_print(FILE *file, const weir__cli_matrix *matrix, const char *corner)
{
    int label = label_width(matrix, corner), cell = cell_width(matrix);
    int fit = (PAGE - GAP - label) / (cell + GAP);
    uint32_t step = fit > 1 ? (uint32_t)fit : 1;
    for (uint32_t first = 0; first < matrix->columns; first += step) {
        uint32_t end = matrix->columns - first > step ? first + step : matrix->columns;
        if (first)
            fputc('\n', file);
        print_part(file, matrix, corner, label, cell, first, end);
    }
}
