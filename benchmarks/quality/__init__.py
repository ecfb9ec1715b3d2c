"""How good extraction, paths and answers are where the truth is known."""
