#include "limit.h"

#include <stdio.h>

int main(void)
{
    for (int n = 2; n < LIMIT; n++) {
        int k = 2;
        while (k < n && n % k)
            k++;
        if (k == n)
            printf("%d\n", n);
    }
    return 0;
}
