"""Progress bars on stderr: amount done, rate and remaining time.

Drawn only if stderr is a terminal.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TypeVar

from rich import filesize
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from app.cli.output import create_console

Item = TypeVar("Item")


class _Rate(ProgressColumn):
    """Items a second; empty until the first one is done."""

    def render(self, task: Task) -> Text:
        """Render the recent rate, or the average rate of a finished task."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.1f} a second" if speed else "")


def _create_bar(*columns: ProgressColumn, is_transient: bool) -> Progress:
    return Progress(
        *columns,
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=create_console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=is_transient,
    )


def create_job_bar() -> Progress:
    """Return a percentage bar. Its tasks have a field `documents`; their description is the job's stage."""
    return _create_bar(
        TextColumn("  {task.fields[documents]}"),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        is_transient=False,
    )


def show_item_progress(items: Iterable[Item], label: str, total: int | None) -> Iterator[Item]:
    """Yield the items and show how many have been taken. `total` is None if it is unknown."""
    with _create_bar(
        TextColumn("  {task.description}"), BarColumn(30), MofNCompleteColumn(), _Rate(), is_transient=True
    ) as bar:
        task = bar.add_task(label, total=total)
        for item in items:
            yield item
            bar.advance(task)


@contextmanager
def show_read_progress(file: BinaryIO, label: str, total: int | None) -> Iterator[BinaryIO]:
    """Yield the file wrapped so that reading it moves a bar over its bytes."""
    with (
        _create_bar(
            TextColumn("  {task.description}"),
            BarColumn(30),
            DownloadColumn(),
            TransferSpeedColumn(),
            is_transient=True,
        ) as bar,
        bar.wrap_file(file, total=total, description=label) as wrapped_file,
    ):
        yield wrapped_file


def show_write_progress(
    pieces: Iterable[bytes], label: str, count_rows: Callable[[], int]
) -> Iterator[bytes]:
    """Yield the pieces and show a bar over them, with the bytes written so far.

    `count_rows` estimates how many pieces there are; it is called only if the bar is drawn.
    """
    with _create_bar(
        TextColumn("  {task.description}"),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.fields[size]}"),
        is_transient=True,
    ) as bar:
        task = bar.add_task(label, total=None if bar.disable else count_rows(), size="")
        written_bytes = 0
        started_at = time.monotonic()
        for piece in pieces:
            yield piece
            written_bytes += len(piece)
            write_speed = written_bytes / max(time.monotonic() - started_at, 0.001)
            bar.update(
                task,
                advance=1,
                size=f"{filesize.decimal(written_bytes)}, {filesize.decimal(round(write_speed))} a second",
            )
