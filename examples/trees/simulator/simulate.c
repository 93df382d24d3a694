#include <stdio.h>

enum { CELLS = 200, STEPS = 3000000 };

int main(int argc, char **argv)
{
    static double cell[CELLS];
    double rate = 0.1;
    for (int i = 0; i < CELLS; i++)
        cell[i] = i % 17;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!f || fscanf(f, "rate %lf", &rate) != 1)
        return 1;
    for (int step = 0; step < STEPS; step++)
        for (int i = 1; i < CELLS - 1; i++)
            cell[i] += rate * (cell[i - 1] - 2 * cell[i] + cell[i + 1]);
    for (int i = 0; i < CELLS; i++)
        printf("%d %.6f\n", i, cell[i]);
    return fclose(f);
}
