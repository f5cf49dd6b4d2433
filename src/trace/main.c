#include "trace/record.h"

int main(int argc, char **argv)
{
    return record_main(argc, argv);
}
