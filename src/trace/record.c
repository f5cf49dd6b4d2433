#include "trace/record.h"

#include <stdio.h>

int record_main(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr, "%s: recording is not there yet\n", argv[0]);
    return 2;
}
