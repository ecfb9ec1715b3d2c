"""Numbers as people read them, for commands and pages. Pure."""

import math


def pluralise(value: int, noun: str, plural_form: str = "") -> str:
    """Return a number with its noun: 1 node, 2,996 nodes; `plural_form` if the plural is irregular."""
    return f"{value:,} {noun if value == 1 else plural_form or noun + 's'}"


def format_percent(share: float) -> str:
    """Return a share of 1 as a percentage, with one decimal unless it is whole: 12.5%, 100%."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def format_dollars(amount: float) -> str:
    """Return an amount in dollars with cents; below one, with three or more significant digits: 0.0000125."""
    if not amount or abs(amount) >= 1:
        return f"{amount:,.2f}"
    return f"{amount:.{max(4, 2 - math.floor(math.log10(abs(amount))))}f}"


def format_number(value: float | None) -> str:
    """Return a number with thousands separators; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def format_size(value: int | None) -> str:
    """Return a number of bytes with its unit: 1.2 MB; a dash for None."""
    if value is None:
        return "–"
    scaled_value = float(value)
    for unit in ("B", "kB", "MB", "GB"):
        # As it is written: 999,960 bytes are 1.0 MB, not 1000.0 kB.
        if round(scaled_value, 1) < 1000:
            return f"{scaled_value:.0f} {unit}" if unit == "B" else f"{scaled_value:.1f} {unit}"
        scaled_value /= 1000
    return f"{scaled_value:.1f} TB"


def format_duration(seconds: float | None) -> str:
    """Return a number of seconds with units: 850 ms, 12 s, 3 min 20 s, 2 h 5 min; a dash for None."""
    if seconds is None:
        return "–"
    # As it is written: 0.9996 is 1 s, not 1000 ms, and 59.7 is 1 min 0 s, not 60 s.
    if round(seconds * 1000) < 1000:
        return f"{seconds * 1000:.0f} ms"
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes, remaining_seconds = divmod(round(seconds), 60)
    return f"{minutes} min {remaining_seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
