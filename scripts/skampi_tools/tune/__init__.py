"""Settings of a library, searched by a race of launches, written as the library reads them, and proven in fresh launches.

    choices.py   what may be set: a file, or a ready set     openmpi.py   what Open MPI says and reads
                                                             mpich.py     the same of MPICH
    race.py      which candidates are still worth a launch   search.py    the launches of the search
    rules.py     one choice for neighbouring sizes, rows     proof.py     default against tuned, in fresh launches
    output.py    text, JSON, a page
"""
