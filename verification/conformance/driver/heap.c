/* Counts the blocks of memory that are alive in this process, the FMU's included: the driver's own malloc stands before
 * the C library's. The library's own statistics will not do, because they count what is kept for later as used. */
#include "host.h"

#include <errno.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_long alive;

long blocks_alive(void)
{
    return alive;
}

static void *counted(void *block)
{
    if (block)
        alive++;
    return block;
}

void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return counted(__libc_calloc(n, size));
}

void *realloc(void *block, size_t size)
{
    void *moved = __libc_realloc(block, size);
    if (!block && moved)
        alive++;
    else if (block && !moved && size == 0)
        alive--;
    return moved;
}

void *memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    void *block = counted(__libc_memalign(alignment, size));
    if (!block)
        return ENOMEM;
    *place = block;
    return 0;
}

void free(void *block)
{
    if (block)
        alive--;
    __libc_free(block);
}
