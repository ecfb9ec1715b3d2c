"""Chooses the sentence that answers a question, and knows when none does, by a small trained model."""
