"""Chooses the sentence that answers a question, or none, by a small trained model."""
