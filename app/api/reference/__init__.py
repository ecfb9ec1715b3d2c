"""The reference of the API as a page at /docs; everything that it loads comes from this server."""
