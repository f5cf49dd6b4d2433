"""What skampi table shows of result files: their blocks, or another view of them."""
