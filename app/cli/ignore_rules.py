"""Rules that exclude files of a folder, in the syntax of .gitignore."""

from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".citegraphignore")
"""Ignore files. They apply to their directory and all below; rules of deeper directories take precedence."""


class IgnoreRules:
    """The rules of one folder: the caller's patterns, and those of the ignore files in it."""

    def __init__(self, folder: Path, patterns: Iterable[str] = (), *, read_files: bool = True) -> None:
        self._folder = folder
        self._caller_rules = GitIgnoreSpec.from_lines(patterns)
        self._read_files = read_files
        self._rules_by_directory: dict[Path, GitIgnoreSpec] = {}

    def load_directory_rules(self, directory: Path) -> None:
        """Read the ignore files of a directory. Call this before `is_ignored` for paths in it."""
        if not self._read_files:
            return
        lines: list[str] = []
        for name in IGNORE_FILES:
            path = directory / name
            if path.is_file() and not path.is_symlink():
                try:
                    lines += path.read_text("utf-8", errors="replace").splitlines()
                except OSError:
                    continue
        if lines:
            self._rules_by_directory[directory] = GitIgnoreSpec.from_lines(lines)

    def is_ignored(self, path: Path, *, is_directory: bool = False) -> bool:
        """Return whether a rule excludes the path. The rules of its directory must be loaded."""
        verdict = self._match_rules(self._caller_rules, self._folder, path, is_directory)
        directory = path.parent
        while verdict is None:
            if (rules := self._rules_by_directory.get(directory)) is not None:
                verdict = self._match_rules(rules, directory, path, is_directory)
            if directory == self._folder:
                break
            directory = directory.parent
        return bool(verdict)

    @staticmethod
    def _match_rules(rules: GitIgnoreSpec, base: Path, path: Path, is_directory: bool) -> bool | None:
        """Return True if the rules exclude the path, False if they re-include it, None if none matches."""
        relative_name = path.relative_to(base).as_posix() + ("/" if is_directory else "")
        return rules.check_file(relative_name).include
