"""What changed from one set of result files to another: comparison.py judges, with the states of the machine
(by_state.py), and with launches that separate the sides completely (separation.py); output.py is text and JSON."""
