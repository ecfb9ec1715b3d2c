"""The Model Context Protocol: the same reads as the API, as tools for agents."""
