"""What scripts/shmembench is made of: programs that call each routine of OpenSHMEM, and the list of
the calls that a trace of them has to show."""
