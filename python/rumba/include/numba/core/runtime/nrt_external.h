/* Counted memory for code written in C: the functions that `_nrt_python.c_helpers["get_api"]` gives a table of.
 *
 * Each block has a count of holders, and is given up when nobody holds it. A new block has one holder: whoever made it.
 */
#ifndef NUMBA_NRT_EXTERNAL_H_
#define NUMBA_NRT_EXTERNAL_H_

#include <stdlib.h>

typedef struct MemInfo NRT_MemInfo;

/* Gives memory up. */
typedef void NRT_managed_dtor(void *data);

/* An allocator: each function gets `opaque_data` as its last argument. */
typedef void *(*NRT_external_malloc_func)(size_t size, void *opaque_data);
typedef void *(*NRT_external_realloc_func)(void *ptr, size_t new_size, void *opaque_data);
typedef void (*NRT_external_free_func)(void *ptr, void *opaque_data);

struct ExternalMemAllocator {
    NRT_external_malloc_func malloc;
    NRT_external_realloc_func realloc;
    NRT_external_free_func free;
    void *opaque_data;
};

typedef struct ExternalMemAllocator NRT_ExternalAllocator;

typedef struct {
    /* A new block of `nbytes` bytes; null if there is no memory. */
    NRT_MemInfo *(*allocate)(size_t nbytes);
    /* The same with memory of an allocator, which has to live as long as the block. */
    NRT_MemInfo *(*allocate_external)(size_t nbytes, NRT_ExternalAllocator *allocator);
    /* A new block over memory that is there, which `dtor` gives up. */
    NRT_MemInfo *(*manage_memory)(void *data, NRT_managed_dtor dtor);
    /* One holder more, and one less. */
    void (*acquire)(NRT_MemInfo *mi);
    void (*release)(NRT_MemInfo *mi);
    /* The memory of a block. */
    void *(*get_data)(NRT_MemInfo *mi);
} NRT_api_functions;

#endif
