"""Shapes of what programs are shown: each thing once, for API, MCP tools, command line and pages."""
