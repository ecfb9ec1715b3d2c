"""Seeded data for the measurements, written by COPY or SQL."""
