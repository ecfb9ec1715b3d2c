"""Writes docs/licences.md: every locked package, its licence as its own metadata say, and where it goes.

Run by `make licences`, after each change of the locks; a test compares the page with the locks.
"""

import importlib.metadata
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
PRODUCTION = "requirements.lock"
LOCKS = (PRODUCTION, "requirements-dev.lock", "requirements-semantic.lock")
# What the Dockerfile builds on.
IMAGE = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "python_version": "3.13",
} | {
    "python_full_version": "3.13.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}
ELSEWHERE = "of another platform, not installed where this page was made"
_LOCKED = re.compile(r"(?P<name>[a-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>.+?))? \\$")
_HEAD = """# Licences

Citegraph itself is under [Apache-2.0](../LICENSE). This page lists what it installs beside itself: every package of the lock
files, with the licence that the package's own metadata state. `make licences` writes it; do not edit it by hand. It
is a list of facts and no legal advice.

## GPL and LGPL

| package | licence | what for |
| --- | --- | --- |
| igraph | GPL-2.0-or-later (so its source; the metadata say no version) | graphs as arrays, for communities and ranking |
| leidenalg | GPL-3.0-or-later | detection of communities |
| psycopg, psycopg-binary | LGPL-3.0-only | the driver of Postgres |
| pglast | GPL-3.0-or-later | Postgres' own parser, in tests alone: no image and no installation for use holds it |

- **Who only runs Citegraph**, also as a service for customers, distributes nothing: the GPL sets no terms for
  running a program, and none of them is under the AGPL.
- **Who hands on an image, an appliance or a bundle that holds these packages** distributes them: their terms then apply to
  what is handed on, among them the licence texts and the source that belongs to it. Citegraph imports igraph and leidenalg
  into its own processes; take a handed-on combination of them and Citegraph for a work under the GPL.
- **Who hands on Citegraph's source alone** hands on Apache-2.0: the packages are fetched by whoever installs it.
- psycopg is imported unchanged and may be replaced by another version, which is what the LGPL asks for.

## Servers

The production image holds neither Postgres nor Valkey. Compose takes them as images of their own: PostgreSQL and pgvector
(PostgreSQL licence), Valkey (BSD-3-Clause); the profile `citus` also Citus (AGPL-3.0), to run the tests on. Elsewhere they come as packages, which the lock of production leaves out.

## Data

Two files of `app/extraction/rules/english/gazetteers/` hold data of others: `cities.txt` has names of cities from
[GeoNames](https://www.geonames.org/) (CC BY 4.0, chosen by size and filtered), `census_first_names.txt` first names of the census
of the United States of 1990 (public domain).

## Images

All images are named by digest. To take a newer one, look its digest up in the registry
(`docker buildx imagetools inspect python:3.13-slim`) and change tag and digest together.
"""  # noqa: E501


@dataclass(frozen=True)
class Locked:
    """One line of a lock: a package in one version, for some platforms."""

    name: str
    version: str
    marker: str | None

    @property
    def is_in_image(self) -> bool:
        """Whether it is installed where the production image is built; asked of the production lock alone."""
        return self.marker is None or Marker(self.marker).evaluate(dict(IMAGE))


def locked(lock: str) -> Iterator[Locked]:
    """The packages of a lock file."""
    for line in (ROOT / lock).read_text("utf-8").splitlines():
        found = _LOCKED.match(line)
        if found:
            yield Locked(found["name"], found["version"], found["marker"])


def licence(name: str) -> str:
    """What the installed package says of its licence, in few words."""
    try:
        about = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ELSEWHERE
    stated = about.get("License-Expression") or (about.get("License") or "").strip().splitlines()
    classified = [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier") or []
        if each.startswith("License :: ") and each != "License :: OSI Approved"
    ]
    first = stated if isinstance(stated, str) else (stated[0] if stated else "")
    # Some put the whole text into the field.
    return (first if 0 < len(first) <= 60 else "") or "; ".join(classified) or "not stated"


def rows() -> list[tuple[str, str, str, str]]:
    """(package, version, in the production image, lock) of each locked version, by name."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for lock in LOCKS:
        for each in locked(lock):
            in_image = "yes" if lock == PRODUCTION and each.is_in_image else "no"
            found.setdefault((each.name, each.version), (in_image, lock))
    return [(name, version, *where) for (name, version), where in sorted(found.items())]


def page() -> str:
    """The whole page."""
    lines = [
        "\n## Packages\n",
        "| package | version | licence | in the production image | first lock that names it |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {version} | {licence(name)} | {in_image} | {lock} |"
            for name, version, in_image, lock in rows()
        ),
    ]
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)} written.\n")
