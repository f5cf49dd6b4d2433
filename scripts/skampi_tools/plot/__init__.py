"""How skampi plot draws: curves.py groups points into curves, spec.py says what a figure shows (read
from a file, or made from the data), axes.py and kinds draw diagrams, pages.py puts them on pages
and into files. Only the last three need numpy and matplotlib."""
