/* What a program uses: runs it, and writes its seconds of processors and KiB of memory to a
 * descriptor.
 *
 *     used DESCRIPTOR PROGRAM [ARGUMENT...]
 *
 * A program's peak begins with the memory of the one that starts it: that is this small one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    if (argc < 3)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (wait4(child, &status, 0, &used) != child)
        return 2;
    dprintf(atoi(argv[1]), "used %f s %ld KiB\n", seconds(used.ru_utime) + seconds(used.ru_stime),
            used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
