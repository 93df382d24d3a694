/* Locks, protects, seals and queries its own memory, and uses segments and restartable locks by number.
 *
 * shows: get_robust_list, get_thread_area, mbind, membarrier, mincore, mlock, mlock2, mlockall, modify_ldt, move_pages, mseal, munlock, munlockall, pkey_alloc, pkey_free, pkey_mprotect, set_mempolicy_home_node, set_thread_area
 * source: shared memory, mapped files
 */
#include "calls.h"

int main(void)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), segments[64] = "";
    unsigned char there[2] = {0};
    void *list, *pages[1] = {page};
    size_t size;
    int status[1] = {-1}, area[4] = {-1};
    CHECK(page != MAP_FAILED);
    page[0] = 1;
    CALL(SYS_mlock, page, 4096L);
    CALL(SYS_mlock2, page, 4096L, 1);
    CALL(SYS_munlock, page, 4096L);
    CALL(SYS_mlockall, 4);
    CALL(SYS_munlockall);
    CALL(SYS_mincore, page, 8192L, there);
    printf("there %d %d\n", there[0] & 1, there[1] & 1);
    CALL(SYS_membarrier, 0, 0, 0);
    CALL(SYS_mbind, page, 8192L, 0, NULL, 0L, 0);
    CALL(NR_set_mempolicy_home_node, page, 8192L, 0L, 0L);
    CALL(SYS_move_pages, 0, 1L, pages, NULL, status, 0);
    long key = CALL(SYS_pkey_alloc, 0L, 0L);
    CALL(SYS_pkey_mprotect, page, 4096L, PROT_READ, key);
    CALL(SYS_pkey_free, key);
    CALL(SYS_modify_ldt, 0, segments, (long)sizeof segments);
    CALL(SYS_get_thread_area, area);
    CALL(SYS_set_thread_area, area);
    CHECK(CALL(SYS_get_robust_list, 0, &list, &size) == 0);
    printf("robust list of %lu bytes\n", size);
    CALL(NR_mseal, page, 4096L, 0L);
    CALL(SYS_munmap, page, 4096L);
    return guest_done();
}
