"""The classic .sko format: result lines of loop variables, bytes, time, standard error, repetitions and
times per PE, among comments. This package alone knows its lines. lines: what they say; reader, writer:
from and to records."""
