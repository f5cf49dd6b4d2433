"""What mk/docs writes into the documents: a module for each kind of text."""
