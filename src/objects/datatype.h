/*
 * MPI datatypes and operations as descriptions: pure data, the same with every library and without
 * any, so that scripts can be checked and run where MPI is not in the build. Nothing here
 * communicates or calls MPI but datatype_handle() and operation_handle().
 *
 * A described type has the extents of the typemap's definition (MPI 3.1, section 4.1.6): a struct
 * is padded to the alignment of what it holds, as C does it.
 */
#ifndef SKAMPI_OBJECTS_DATATYPE_H
#define SKAMPI_OBJECTS_DATATYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct datatype;

/* What operations can do with a predefined type (MPI 3.1, section 5.9.2). */
enum datatype_class {
    DATATYPE_INTEGER,
    DATATYPE_FLOATING,
    DATATYPE_BYTE,
    DATATYPE_PAIR, /* of a value and an index, for MINLOC and MAXLOC */
    DATATYPE_CHARACTER,
    DATATYPE_DERIVED /* no predefined one */
};

/* ---- Making; each caller owns one reference ---- */

/* By MPI's name ("MPI_INT"), or NULL. */
struct datatype *datatype_predefined(const char *name);
/* The i-th name, NULL after the last. */
const char *datatype_name_at(size_t i);

/* Constructors take a reference of their own of the parts. They return NULL where the arguments
 * make no type, with *error set to why (static text). Numbers count as in MPI: bytes for hvector
 * and hindexed, extents of the part for vector and indexed. */
struct datatype *datatype_contiguous(int64_t count, struct datatype *of, const char **error);
struct datatype *datatype_vector(int64_t count, int64_t length, int64_t stride, bool in_bytes,
                                 struct datatype *of, const char **error);
struct datatype *datatype_indexed(size_t count, const int64_t *lengths, const int64_t *places,
                                  bool in_bytes, struct datatype *of, const char **error);
struct datatype *datatype_struct(size_t count, const int64_t *lengths, const int64_t *places,
                                 struct datatype *const *of, const char **error);
/* Parts of an array of that many dimensions, the last one contiguous (MPI_ORDER_C). */
struct datatype *datatype_subarray(size_t dimensions, const int64_t *sizes, const int64_t *subsizes,
                                   const int64_t *starts, struct datatype *of, const char **error);

/* How darray distributes a dimension; the values are those of datatype_constant(). */
struct darray {
    int64_t pes, rank; /* of the grid, and the one whose part it is */
    size_t dimensions;
    const int64_t *sizes, *distributions, *arguments, *grid;
};
struct datatype *datatype_darray(const struct darray *, struct datatype *of, const char **error);

struct datatype *datatype_reference(struct datatype *);
void datatype_release(struct datatype *); /* NULL is allowed */

/* ---- Asking ---- */

/* "MPI_INT", "vector(2,1,4,MPI_INT)"; without blanks. Lives as long as the type. */
const char *datatype_text(const struct datatype *);
enum datatype_class datatype_class(const struct datatype *);
/* Bytes of data; from one element to the next. */
int64_t datatype_size(const struct datatype *);
int64_t datatype_extent(const struct datatype *);
/* Memory that count elements take in a buffer, and the byte in it that MPI gets as its
 * beginning: 0 unless the type has data before its start. SIZE_MAX when it is too much to count. */
size_t datatype_bytes(const struct datatype *, int64_t count);
size_t datatype_origin(const struct datatype *);
/* Bytes from the first to the last one of the data in that memory, and where they begin in it. */
size_t datatype_span(const struct datatype *, int64_t count, size_t *first);

/* ---- In the library; NULL in a build without MPI ---- */

/* The committed MPI_Datatype that the pointer leads to. Made when first asked for; MPI is started
 * and not finalized. Any PE. */
const void *datatype_handle(struct datatype *);

#endif
