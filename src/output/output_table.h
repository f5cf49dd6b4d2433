/* What tables for people depend on. */
#ifndef SKAMPI_OUTPUT_OUTPUT_TABLE_H
#define SKAMPI_OUTPUT_OUTPUT_TABLE_H

/* How wide tables may be from now on; they have 80 columns otherwise, and never more. */
void output_table_fit(int columns);

#endif
