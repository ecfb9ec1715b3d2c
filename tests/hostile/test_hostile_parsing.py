"""Files whose reading takes as long as it may: each holds a slot of the worker until its child ends."""

import pytest

from tests.hostile.harness import content
from tests.hostile.harness.attacks import Hammer, attacking
from tests.hostile.harness.content import docx_bomb, pdf
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside
from tests.hostile.test_hostile_jobs import run_beside, taken_in
from tests.support.http_client import Call, Target

pytestmark = [pytest.mark.slow, pytest.mark.soak]


def test_files_that_unpack_to_far_more(installation: Installation, beside: Beside) -> None:
    """Bombs are refused or fail alone, whoever waits beside them."""
    target = installation.attacker
    docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    calls = [
        Call.form(f"{target.space}/documents{query}", *files)
        for query in ("", "?dry_run=true")
        for files in (
            [("bomb.docx", docx, docx_bomb(1_000))],
            [("bomb.pdf", "application/pdf", pdf(4, "a" * 200, 100_000))],
            [("many.pdf", "application/pdf", pdf(20_000, "a", 1))],
            [("cut.pdf", "application/pdf", pdf(3, "a", 10)[:-200])],
        )
    ]
    with beside(), attacking(Hammer(target, calls, threads=4, seconds=8)) as outcomes:
        pass
    outcomes[0].check()


def test_deep_and_wide_markdown(installation: Installation, beside: Beside) -> None:
    def all_of_it(target: Target) -> list[str]:
        return taken_in(
            target,
            content.deep(20_000),
            content.table(2_000, 200),
            content.table(3, 60_000),
            content.hostile_unicode(1_000_000),
            "<b>" * 100_000,
            ending="md",
            media="text/markdown",
        )

    run_beside(beside, installation, all_of_it, 12.0)
