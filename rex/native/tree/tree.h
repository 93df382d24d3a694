/* tree: changes of a directory tree that replay's overlay and a live run's namespace both make. */
#ifndef REX_TREE_TREE_H
#define REX_TREE_TREE_H

#include "base/base.h"

bool copy_bytes(int from, int to);
bool program_with_loader(const char *program, const char *loader, const char *copy);   /* a copy that names another loader */

#endif
