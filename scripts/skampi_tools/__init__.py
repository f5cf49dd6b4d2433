"""What the scripts share: reading results, statistics, texts for people."""
