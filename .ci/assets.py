"""Copies what pages load out of node_modules: the dashboard's into app/dashboard/static/vendor, and others'.

Run by `make assets`, after `npm ci`. Nothing is bundled or changed but the icons, of which those that a
template or a script names become one sprite.
"""

import json
import re
import shutil
import sys
from pathlib import Path

DASHBOARD = Path(__file__).resolve().parents[1] / "app" / "dashboard"
VENDOR = DASHBOARD / "static" / "vendor"
TEST_VENDOR = Path(__file__).resolve().parents[1] / "tests" / "support" / "vendor"
# For browser tests alone: no page loads it and no image holds it.
TEST_FILES = {"axe-core/axe.min.js": "axe.js"}
FILES = {
    "htmx.org/dist/htmx.min.js": "htmx.js",
    "graphology/dist/graphology.umd.min.js": "graphology.js",
    "sigma/dist/sigma.min.js": "sigma.js",
    "uplot/dist/uPlot.iife.min.js": "uplot.js",
    "uplot/dist/uPlot.min.css": "uplot.css",
}
# The pages about the API, which know nothing of the dashboard.
REFERENCE = Path(__file__).resolve().parents[1] / "app" / "api" / "reference" / "static" / "vendor"
REFERENCE_FILES = {
    "swagger-ui-dist/swagger-ui-bundle.js": "swagger-ui.js",
    "swagger-ui-dist/swagger-ui.css": "swagger-ui.css",
}
# In templates as icon("name"), in scripts as icon("name") too.
ICON = re.compile(r"""\bicon\(\s*["']([a-z0-9-]+)["']""")
BODY = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)


def main(node_modules: Path) -> None:
    """Write the folder anew."""
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir(parents=True)
    versions = {}
    for source, name in FILES.items():
        shutil.copyfile(node_modules / source, VENDOR / name)
        package = source.split("/")[0]
        versions[package] = json.loads((node_modules / package / "package.json").read_text())["version"]
    for folder, files in ((REFERENCE, REFERENCE_FILES), (TEST_VENDOR, TEST_FILES)):
        if folder is TEST_VENDOR and not folder.parent.exists():
            continue  # an image has no tests
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for source, name in files.items():
            shutil.copyfile(node_modules / source, folder / name)
    icons = node_modules / "lucide-static" / "icons"
    (VENDOR / "icons.svg").write_text(_sprite(icons, sorted(_named_icons())))
    (VENDOR / "versions.json").write_text(json.dumps(versions, indent=1) + "\n")


def _named_icons() -> set[str]:
    files = [*DASHBOARD.rglob("templates/**/*.html"), *DASHBOARD.rglob("static/js/**/*.js")]
    found = {name for path in files for name in ICON.findall(path.read_text("utf-8"))}
    # Named by a variable: the statuses of app/dashboard/rendering.py, and the entries beside every page.
    table = (DASHBOARD / "rendering.py").read_text("utf-8")
    block = table.partition("ICONS = {")[2].partition("}")[0]
    entries = (DASHBOARD / "navigation.py").read_text("utf-8")
    found |= set(re.findall(r':\s*"([a-z0-9-]+)"', block))
    return found | set(re.findall(r'Entry\([^)]*"([a-z0-9-]+)"\)', entries))


def _sprite(folder: Path, names: list[str]) -> str:
    symbols = []
    for name in names:
        path = folder / f"{name}.svg"
        if not path.exists():
            sys.exit(f"there is no icon {name!r}")
        drawn = BODY.search(path.read_text("utf-8"))
        assert drawn is not None, name
        symbols.append(f'<symbol id="{name}" viewBox="0 0 24 24">{drawn[1].strip()}</symbol>')
    return '<svg xmlns="http://www.w3.org/2000/svg">\n' + "\n".join(symbols) + "\n</svg>\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
