"""A relation type is one entry of one file: no other file of the program names it."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from app.domain import relation_types
from app.domain.relation_type import RelationType
from app.domain.relation_types import RELATION_TYPE_BY_NAME, RELATION_TYPES
from tests.architecture.tree import PROJECT, Source, planted, program

REGISTRY = "app/domain/relation_types.py"
READ = (".py", ".sql", ".toml", ".html", ".js", ".css")
VENDOR = "app/dashboard/static/vendor/"
ENTRIES = {name for name, value in vars(relation_types).items() if isinstance(value, RelationType)}

# (file, word) of words that are no relation type there, although a type is spelt so.
OTHER_WORDS: Mapping[tuple[str, str], str] = {
    ("app/documents/formats/pptx.py", "created"): "an attribute of the file",
    ("app/documents/submission.py", "created"): "counts the documents that a call made",
    ("app/documents/shapes.py", "created"): "says that a document is new",
    ("app/extraction/rules/claims/negation.py", "owns"): "the English verb, which the patterns read",
    ("app/extraction/rules/claims/negation.py", "uses"): "the English verb, which the patterns read",
    ("app/extraction/rules/english/denial_words.py", "owns"): "the English verb, which the patterns read",
    ("app/extraction/rules/english/denial_words.py", "uses"): "the English verb, which the patterns read",
    ("app/extraction/rules/english/kind_votes.py", "created"): "the English verb before a name",
    ("app/extraction/rules/english/kind_votes.py", "replaces"): "the English verb between two names",
    ("app/llm/testing/faults.py", "owns"): "what a hostile model makes up",
    ("app/llm/testing/protocol.py", "created"): "a field of the protocol of OpenAI",
}
STORY = "reads a story of this type alone: a marriage, a sale, a post, a move"
# Files that state a type by themselves, by its entry; all else asks an entry what it is.
BY_ENTRY: Mapping[str, str] = {
    "app/answers/succession.py": "knows who came before somebody also by the claim that says so",
    "app/extraction/llm/control_claims.py": "claims about a text of its own, to see how a model judges them",
    "app/extraction/rules/claims/brackets.py": STORY,
    "app/extraction/rules/claims/changes.py": STORY,
    "app/extraction/rules/claims/clauses.py": STORY,
    "app/extraction/rules/claims/descriptions.py": STORY,
    "app/extraction/rules/claims/kin.py": STORY,
    "app/extraction/rules/claims/noun_heads.py": "knows nouns for parts, 'the Acme team', by its headers",
    "app/extraction/rules/claims/nouns.py": STORY,
    "app/extraction/rules/claims/relation_patterns.py": STORY,
    "app/extraction/rules/claims/verbless_locations.py": STORY,
    "app/extraction/rules/claims/authors_and_actors.py": STORY,
    "app/extraction/rules/english/words/change_forms.py": STORY,
    "app/extraction/rules/english/words/deal_forms.py": STORY,
    "app/extraction/rules/english/words/post_forms.py": STORY,
    "app/extraction/rules/english/words/succession_forms.py": STORY,
    "app/llm/prompts/examples.py": "shows a model a claim of it",
    "app/extraction/rules/records/record_graph.py": "gives a row the vaguest type if its header says no more",
    "app/extraction/rules/records/headers.py": "reads a name in a header, 'Slack integration'",
    "app/extraction/rules/relations.py": "drops the vaguest type beside one that says more",
    "app/space_settings.py": "gives examples in a description",
    "app/tenancy/spaces/service.py": "gives an example in an error",
}
# A file without a name between quotes is not parsed.
QUOTED = re.compile(rf"""(['"])(?:{"|".join(RELATION_TYPE_BY_NAME)})\1""")
COMPOUND = re.compile(rf"\b(?:{'|'.join(name for name in RELATION_TYPE_BY_NAME if '_' in name)})\b")


def texts() -> Iterator[tuple[str, str]]:
    """(place, text) of every file of the program."""
    for folder in ("app", "workers"):
        for path in sorted((PROJECT / folder).rglob("*")):
            place = path.relative_to(PROJECT).as_posix()
            if path.suffix in READ and place != REGISTRY and not place.startswith(VENDOR):
                yield place, path.read_text("utf-8")


def names_in(place: str, text: str) -> set[str]:
    """The relation types that a file names: with a low line anywhere, in one word as a whole string."""
    compound = set(COMPOUND.findall(text))
    if place.endswith(".py"):
        if not QUOTED.search(text):
            return compound
        strings = {
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        return compound | (strings & RELATION_TYPE_BY_NAME.keys())
    return compound | {name for name in RELATION_TYPE_BY_NAME if re.search(rf"""(['"]){name}\1""", text)}


def entries_in(source: Source) -> set[str]:
    """The entries of the registry that a file imports by their names."""
    return {
        alias.name
        for node in source.nodes
        if isinstance(node, ast.ImportFrom) and node.module == "app.domain.relation_types"
        for alias in node.names
        if alias.name in ENTRIES
    }


def test_no_file_but_the_registry_names_a_relation_type() -> None:
    """Whoever adds or changes a type would have to find them all: there were twenty-one."""
    named = {(place, name) for place, text in texts() for name in names_in(place, text)}
    assert named - OTHER_WORDS.keys() == set()
    assert OTHER_WORDS.keys() - named == set(), "an allowance that nothing needs"


def test_entries_are_stated_by_the_rules_of_one_story_alone() -> None:
    stated = {source.place for source in program() if entries_in(source)} - {REGISTRY}
    assert stated - BY_ENTRY.keys() == set()
    assert BY_ENTRY.keys() - stated == set(), "an allowance that nothing needs"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("app/graph/service.py", 'RELATIONS = ("works_for",)'),
        ("app/graph/service.py", '"""As works_for does."""'),
        ("app/graph/service.py", 'if relation == "owns": pass'),
        ("app/graph/sql/x.sql", "AND relation_type <> 'within'"),
        ("app/dashboard/static/graph.js", 'if (edge.type === "located_in") {}'),
    ],
)
def test_a_name_is_seen(place: str, text: str) -> None:
    assert names_in(place, text) != set()


def test_an_import_of_an_entry_is_seen() -> None:
    assert entries_in(planted("from app.domain.relation_types import OWNS, RELATION_TYPES\n")) == {"OWNS"}


def test_an_ordinary_word_is_not() -> None:
    assert names_in("app/graph/service.py", 'TEXT = "who owns and uses it"  # within the space') == set()


@pytest.mark.parametrize("entry", RELATION_TYPES, ids=lambda entry: entry.name)
def test_every_entry_says_what_it_means_between_both_ends(entry: RelationType) -> None:
    """Models and the reference read both: the example is not the definition in the same words."""
    for sentence in (entry.definition, entry.example):
        assert {"A", "B"} <= set(re.findall(r"\b[A-Z]\b", sentence)), sentence
    assert entry.definition != entry.example


def test_definitions_tell_the_types_apart() -> None:
    definitions = [entry.definition for entry in RELATION_TYPES]
    assert len(set(definitions)) == len(definitions)


def test_what_entries_say_of_one_another_is_there() -> None:
    """A misspelt name would end or imply nothing."""
    named = {name for entry in RELATION_TYPES for name in entry.ended_by}
    named |= {entry.implies.relation_type for entry in RELATION_TYPES if entry.implies}
    assert named <= RELATION_TYPE_BY_NAME.keys()
    assert len(RELATION_TYPE_BY_NAME) == len(RELATION_TYPES)


def test_the_registry_stands_where_the_recipe_says() -> None:
    assert REGISTRY in (PROJECT / "CONTRIBUTING.md").read_text("utf-8")
    assert Path(relation_types.__file__) == PROJECT / REGISTRY
