"""`make soak` prints a program that does the acts of a finding again."""

from pathlib import Path

import hypothesis
import pytest
from hypothesis import Phase, strategies
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.invariants.soak import classify_script, show

TEXTS = ["Long " * 20, " A space first.\n---\n", "z\n w"]
DONE: list[object] = []


class Finding(RuleBasedStateMachine):
    """Two acts, of which the second finds something wrong."""

    documents = Bundle("documents")

    @initialize(target=documents)
    def put(self) -> str:
        return "a document"

    @rule(document=documents, texts=strategies.just(TEXTS))
    def replace(self, document: str, texts: list[str]) -> None:
        DONE.append((document, texts))
        raise AssertionError("found")


def test_a_script_does_all_acts_again() -> None:
    with pytest.raises(AssertionError, match="found") as finding:
        run_state_machine_as_test(
            Finding,
            settings=hypothesis.settings(
                max_examples=2, phases=[Phase.generate], print_blob=False, database=None
            ),
        )
    script = classify_script(finding.value, model=False, name="finding.py")
    acts = script.partition("as world:")[2].replace("\n    ", "\n").replace("Bound = machine_of(world)", "")
    DONE.clear()
    with pytest.raises(AssertionError, match="found"):
        exec(compile(acts, "finding.py", "exec"), {"Bound": Finding, "Finding": Finding})
    assert DONE == [("a document", TEXTS)]
    compile(script, "finding.py", "exec")


def test_several_findings_of_a_round_are_each_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """hypothesis raises them as one group, which holds no acts itself."""
    monkeypatch.chdir(tmp_path)
    findings = [AssertionError("the first"), ValueError("the second")]
    for number, finding in enumerate(findings):
        finding.add_note(f"state = Finding()\nstate.put(number={number})\nstate.teardown()")
    show(ExceptionGroup("Hypothesis found 2 distinct failures.", findings), 7, model=False)
    scripts = [path.read_text("utf-8") for path in sorted(tmp_path.glob("soak-finding-7*.py"), reverse=True)]
    assert ["state.put(number=0)" in script for script in scripts] == [True, False]
    assert ["state.put(number=1)" in script for script in scripts] == [False, True]
    printed = capsys.readouterr().out
    assert "the first" in printed
    assert "the second" in printed
