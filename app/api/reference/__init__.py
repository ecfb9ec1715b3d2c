"""The API reference as a page at /docs; everything that it loads comes from this server."""
