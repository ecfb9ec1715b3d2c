"""Shared by all formats: decoding, containers, limits, refusals, and assembling the text."""
