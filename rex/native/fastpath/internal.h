/* fastpath: what its files share with each other only. */
#ifndef REX_FASTPATH_INTERNAL_H
#define REX_FASTPATH_INTERNAL_H

#include "base/base.h"

#include "fastpath/area.h"

struct task;

/* What an address space has of the fast path. */
struct fast {
    struct site_area areas[SITE_AREAS];
    uint32_t rings;                  /* bit mask of those in use */
    uint64_t changes;                /* of what names mean, as the area counts them */
    bool mapped, refused;
};

/* call_sites.c */
bool sites_area(struct task *t);  /* false: that for where it stopped is being made, or there is none */
void sites_patch(struct task *t);
void sites_restore(struct task *t);  /* as they were before they were patched */
bool sites_lie_in(struct task *t, uint64_t from, uint64_t to);  /* what they lead to */
bool sites_are_known(const struct task *t);  /* some, by an earlier process */

/* known_names.c */
void names_common(uint64_t *clean);

/* ring.c */
struct site_area *fast_site_areas(struct task *t);

/* rules.c */
extern struct rule fast_rules[];  /* by call number */
void fast_rules_start(void);
bool fast_rules_write(const struct task *t);  /* into its area */

#endif
