/* put: what a step left is put back by a program that is executed in the step's place (record --reuse). */
#ifndef REX_PUT_PUT_H
#define REX_PUT_PUT_H

int put_back(const char *script);  /* follows a script; the status that the step ended with */

#endif
