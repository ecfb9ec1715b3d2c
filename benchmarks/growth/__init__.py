"""The growth report: the same figures at every size, their slope, and targets beside them."""
