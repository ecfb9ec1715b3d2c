"""Shared by all formats: decoding, containers, limits, refusals, and putting the text together."""
