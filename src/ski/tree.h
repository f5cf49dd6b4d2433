/*
 * The syntax tree of a script. Built by the parser, bound (names, functions) by the checker, walked
 * by the interpreter. Owned by struct tree; nothing in it changes after the checker.
 */
#ifndef SKAMPI_SKI_TREE_H
#define SKAMPI_SKI_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "objects/value.h"
#include "ski/source.h"

struct builtin;     /* ski/builtins.h */
struct measurement; /* engine/measurement.h */

enum expr_kind {
    EXPR_INTEGER,
    EXPR_REAL,
    EXPR_STRING,
    EXPR_NAME,
    EXPR_CALL,
    EXPR_ARRAY,
    EXPR_UNARY,
    EXPR_BINARY
};

struct expr {
    enum expr_kind kind;
    struct position where; /* first token; of a binary expression its operator */
    int64_t integer;
    double real;
    char *text; /* of a string its contents; of a name or call the identifier */
    int symbol; /* of a name: index into tree.symbols; */
    bool local; /* whether the name means the block's own variable, set by the checker: a read binds
                   to the local variable if the text before it assigns one, else to the global or
                   constant */
    enum operator op;
    struct expr **args; /* of a call, an array, a unary (1) or binary (2) expression */
    size_t count;
    const struct builtin *builtin;         /* set by the checker for a call: */
    const struct measurement *measurement; /* at most one of the two is not NULL */
    int height; /* of the tree below; bounded, so that recursion cannot exhaust the stack */
};

enum stmt_kind {
    STMT_ASSIGN,    /* symbol = expr */
    STMT_CALL,      /* expr, a call */
    STMT_PRINT,     /* list */
    STMT_PRINT_ALL, /* list */
    STMT_FLUSH,
    STMT_MEASURE,    /* measure set : expr */
    STMT_ASSERT,     /* list: condition, text (also legal at top level) */
    STMT_FOR,        /* arithmetic loop */
    STMT_AUTOREFINE, /* arithmetic loop, refined */
    STMT_FOR_LIST,   /* symbol over list */
    STMT_FOR_CALL,   /* symbol over the iterator expr (a call) */
    STMT_IF,         /* expr, body, otherwise */
    STMT_BLOCK       /* begin measurement text ... end measurement; top level only */
};

struct stmt_list {
    struct stmt **items;
    size_t count;
};

struct stmt {
    enum stmt_kind kind;
    struct position where;     /* its first token */
    struct position end_where; /* of a block: its end measurement */
    int symbol;                /* assigned or loop variable; index into tree.symbols */
    struct position symbol_where;
    struct expr *expr;
    struct expr *set; /* of measure: the communicator */
    struct expr **list;
    size_t list_count;
    /* of arithmetic loops */
    struct expr *from, *to; /* to is NULL for "..." */
    struct expr *step;      /* NULL: 1 */
    bool multiplicative;    /* the step is "*" and a factor */
    struct expr *multiple_of;
    struct stmt_list body, otherwise; /* an elseif is an if alone in otherwise */
    char *text;                       /* of a block: its name */
    char *source_text; /* of a block: the text since the block before it, includes expanded, leading
                          blank lines and @include lines left out (for -s) */
    bool overridden;   /* an assignment at top level that --set replaces: expr is the new value */
};

/* Where the script has errors, any expr may be NULL (not understood); such a tree is never run. */
struct tree {
    struct stmt_list top;
    char **symbols; /* names of variables */
    int symbol_count;
    struct table names; /* which number a name has */
    size_t block_count;
    bool communicates; /* it measures OpenSHMEM or MPI; known by the check */
    bool incomplete;   /* an include is missing, so that unknown names are no surprise */
};

/* ---- For the parser ---- */

/* A copy of a script's text, without NUL bytes and the carriage returns of line ends. */
char *node_text(const char *text, size_t length);

struct expr *node_expr(enum expr_kind kind, struct position where);
/* Adds an operand, argument or element (taken over; NULL: not understood). */
void node_add_argument(struct expr *expr, struct expr *argument);
/* Adds to a list of expressions that belongs to a statement, not to an expression. */
void node_append_expr(struct expr ***items, size_t *count, struct expr *expr);

struct stmt *node_stmt(enum stmt_kind kind, struct position where);
void node_append_stmt(struct stmt_list *list, struct stmt *stmt);

/* The number of a variable's name in the tree, which is added on first use. */
int tree_symbol(struct tree *tree, const char *name, size_t length);

void expr_release(struct expr *expr); /* NULL is allowed */
void stmt_release(struct stmt *stmt); /* NULL is allowed */
void tree_release(struct tree *tree);

#endif
