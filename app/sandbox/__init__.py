"""Child processes that run code on untrusted texts, with limits enforced from outside."""
