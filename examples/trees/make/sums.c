#include <stdio.h>

int main(int argc, char **argv)
{
    double sum = 0, value;
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        while (f && fscanf(f, "%lf", &value) == 1)
            printf("%.3f\n", sum += value);
        if (f)
            fclose(f);
    }
    return 0;
}
