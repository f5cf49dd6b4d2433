"""The three formats of result files. Each module, or package, reads one into records and writes it from records;
results.py chooses. Nothing else reads or writes a format."""
