"""A running installation under requests and faults."""
