"""A machine description for shmemsim: gathered from results (data.py), fitted (fitting.py), and written as text, as
JSON (description.py) and as a picture of its residuals."""
