"""Writes the generated part of the Python client from the service's OpenAPI document: `make client`."""

import subprocess
import sys
from pathlib import Path

from app.main import create_app
from app.settings import Settings
from app.wiring import build_citegraph
from clients.python.generator.document import Schema
from clients.python.generator.methods import write_methods
from clients.python.generator.shapes import write_answers, write_bodies
from clients.python.generator.synchronous import synchronous

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "citegraph_client"
GENERATED = PACKAGE / "generated"


def describe() -> Schema:
    """The OpenAPI document. Nothing is connected: addresses that nobody listens at serve as well."""
    parts = build_citegraph(
        Settings(database_url="postgresql://nobody@localhost/none", redis_url="redis://localhost:1")
    )
    try:
        found: Schema = create_app(parts).openapi()
        return found
    finally:
        parts.close()


def written(document: Schema) -> dict[str, str]:
    """The text of each module of the generated folder, formatted."""
    methods = write_methods(document)
    modules = {
        "answers.py": write_answers(document),
        "bodies.py": write_bodies(document),
        "async_methods.py": methods,
        "synchronous/methods.py": synchronous(methods, note=False),
    }
    for name in ("transport.py", "client.py"):
        modules[f"synchronous/{name}"] = synchronous((PACKAGE / "asynchronous" / name).read_text("utf-8"))
    return {name: _formatted(name, text) for name, text in modules.items()}


def _formatted(name: str, text: str) -> str:
    for arguments in (["check", "--fix-only", "--select", "F401,I", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(GENERATED / name), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def main() -> None:
    """Write all modules."""
    for name, text in written(describe()).items():
        (GENERATED / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
