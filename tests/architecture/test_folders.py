"""How folders depend on each other (CONTRIBUTING.md)."""

from tests.architecture.tree import PROJECT, imports, is_module, program

# The composition root knows everybody, and everybody who starts a process calls it.
ROOTS = {"app.wiring", "app.main"}


def folder_of(module: str) -> str:
    """The package that holds the module; a file directly under app stands for itself."""
    is_package = (PROJECT.joinpath(*module.split(".")) / "__init__.py").is_file()
    folder = module if is_package else module.rpartition(".")[0]
    return module if folder == "app" else folder


def test_no_circle_between_folders() -> None:
    """Two folders that need each other are one folder with two names."""
    needs: dict[str, set[str]] = {}
    for source in program():
        here = folder_of(source.module)
        for _, module in imports(source):
            there = folder_of(module) if is_module(module) else here
            nested = there.startswith(f"{here}.") or here.startswith(f"{there}.")
            if there != here and not nested and not {here, there} & ROOTS:
                needs.setdefault(here, set()).add(there)
    finished: set[str] = set()

    def walk(folder: str, trail: list[str]) -> list[str]:
        if folder in trail:
            return [*trail[trail.index(folder) :], folder]
        if folder in finished:
            return []
        for needed in sorted(needs.get(folder, ())):
            if circle := walk(needed, [*trail, folder]):
                return circle
        finished.add(folder)
        return []

    circles = [" → ".join(circle) for folder in sorted(needs) if (circle := walk(folder, []))]
    assert circles == []
