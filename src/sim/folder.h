/* Folders that are written as a trace. One process. */
#ifndef SKAMPI_SIM_FOLDER_H
#define SKAMPI_SIM_FOLDER_H

#include <stdbool.h>

/* Makes the folder, which must be new or empty. NULL, or why that cannot be, to be freed. made: it
 * was new. */
char *folder_make(const char *path, bool *made);

#endif
