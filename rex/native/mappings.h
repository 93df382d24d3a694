/* What is mapped where, and large files that are mapped where the kernel likes: see mappings.c. */
#ifndef REX_MAPPINGS_H
#define REX_MAPPINGS_H

#include <linux/mman.h>

enum { LARGE_MAPPING = 2 << 20 };                                                      /* a huge page */
#define MAPPING_CHOSEN (MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE)               /* no file, or a place is given */

/* /proc/TID/maps, one at a time; NULL: it cannot be read. */
struct mapping { uint64_t from, to, offset, inode; char rights[4]; };
FILE *mappings_open(pid_t tid);
bool mappings_next(FILE *f, struct mapping *m);

bool maps_large_file(const struct task *t);
uint64_t mapping_key(const uint64_t *args);
bool record_mapping(struct task *t);
void record_mapped(struct task *t, int64_t result);
void replay_mappings_start(void);
void replay_mapping(struct task *t);
void replay_mapped(struct task *t, int64_t result);

#endif
