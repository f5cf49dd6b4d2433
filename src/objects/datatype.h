/*
 * MPI datatypes as descriptions. They are pure data that need no library, so that scripts can be
 * checked and run in a build without MPI. Only datatype_handle() calls MPI; nothing communicates.
 *
 * A described type has the extents of the typemap's definition (MPI 3.1, section 4.1.6): a struct
 * is padded to the largest alignment of its members, as in C.
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
    DATATYPE_DERIVED /* made by a constructor */
};

/* ---- Making; each caller owns one reference ---- */

/* The predefined type of MPI's name ("MPI_INT"), or NULL. */
struct datatype *datatype_predefined(const char *name);
/* The i-th name, NULL after the last. */
const char *datatype_name_at(size_t i);

/* Constructors take references of their own to the parts. If the arguments make no type, they
 * return NULL, and *error is the reason (static text). As in MPI, distances are in bytes for
 * hvector and hindexed, and in extents of the part for vector and indexed. */
struct datatype *datatype_contiguous(int64_t count, struct datatype *of, const char **error);
struct datatype *datatype_vector(int64_t count, int64_t length, int64_t stride, bool in_bytes,
                                 struct datatype *of, const char **error);
struct datatype *datatype_indexed(size_t count, const int64_t *lengths, const int64_t *places,
                                  bool in_bytes, struct datatype *of, const char **error);
struct datatype *datatype_struct(size_t count, const int64_t *lengths, const int64_t *places,
                                 struct datatype *const *of, const char **error);
/* Parts of an array of so many dimensions (at least 1), the last one contiguous (MPI_ORDER_C). */
struct datatype *datatype_subarray(size_t dimensions, const int64_t *sizes, const int64_t *subsizes,
                                   const int64_t *starts, struct datatype *of, const char **error);

/* How darray distributes a dimension; the values are those of mpi_constant_at(). */
struct darray {
    int64_t pes;  /* in the grid */
    int64_t rank; /* of the PE whose part the type describes */
    size_t dimensions;
    const int64_t *sizes, *distributions, *arguments, *grid;
};
struct datatype *datatype_darray(const struct darray *, struct datatype *of, const char **error);

struct datatype *datatype_reference(struct datatype *);
void datatype_release(struct datatype *); /* NULL is allowed */

/* ---- Asking ---- */

/* The type as text without blanks: "MPI_INT", "vector(2,1,4,MPI_INT)". Lives as long as the type.
 */
const char *datatype_text(const struct datatype *);
enum datatype_class datatype_class(const struct datatype *);
/* Whether a predefined type is of floating-point numbers, alone or in pairs with an index. */
bool datatype_real(const struct datatype *);
/* Bytes of data in an element (size), and bytes from one element to the next (extent). */
int64_t datatype_size(const struct datatype *);
int64_t datatype_extent(const struct datatype *);
/* Bytes that count elements take in a buffer; SIZE_MAX if that is too large a number.
 * datatype_origin() is the byte in it whose address MPI gets: 0 unless the type has data before its
 * start. */
size_t datatype_bytes(const struct datatype *, int64_t count);
size_t datatype_origin(const struct datatype *);
/* Bytes from the first to the last byte of data in the memory of count elements; *first is where
 * they begin. */
size_t datatype_span(const struct datatype *, int64_t count, size_t *first);

/* ---- In the library; NULL in a build without MPI ---- */

/* Points to the committed MPI_Datatype, which is made on first use. Call it between start and end
 * of MPI. Any PE. */
const void *datatype_handle(struct datatype *);

#endif
