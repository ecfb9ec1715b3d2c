"""The model double: an OpenAI-compatible server on the loopback with scripted answers and faults."""

from app.llm.testing.double import ModelDouble
from app.llm.testing.faults import Fault, Mode

__all__ = ["Fault", "Mode", "ModelDouble"]
