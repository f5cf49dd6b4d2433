"""Self-consistent performance guidelines: what one operation costs at most, by what others cost.

The idea and the first rules are of Träff, Gropp & Thakur, "Self-consistent MPI performance
requirements", EuroPVM/MPI 2007, and IEEE TPDS 21 (2010): an operation should not be slower than
the same made of other operations of the library.
"""
