"""Trains the pipeline of `app/extraction/reader` on open treebanks, and scores it on their test splits."""
