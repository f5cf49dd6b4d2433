"""Settings of a library, searched by a race of launches, written as the library reads them, and proven in fresh launches.

    choices.py   what may be set: a file, or a ready set     library.py   what is asked of Open MPI
    race.py      which candidates are still worth a launch   search.py    the launches of the search
    merging.py   one choice for neighbouring sizes           rules.py     files that the library reads
    proof.py     default against tuned, in fresh launches    output.py    text, JSON, a page
"""
