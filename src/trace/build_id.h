/* Build ids, by which linkers tell programs and libraries apart: of loaded objects, and of files.
 * Pure but for reading the file; any thread. */
#ifndef SKAMPI_TRACE_BUILD_ID_H
#define SKAMPI_TRACE_BUILD_ID_H

#include <stddef.h>

#define BUILD_ID_BYTES 64
/* As hexadecimal digits; "" if there is none. */
struct build_id {
    char text[2 * BUILD_ID_BYTES + 1];
};

/* Takes the build id that a segment of notes (PT_NOTE) holds. It stays as it is if that has none.
 */
void build_id_take(struct build_id *, const void *notes, size_t bytes, size_t alignment);
/* The build id of a file of this machine's kind. */
struct build_id build_id_of_file(const char *path);

#endif
