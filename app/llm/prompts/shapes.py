"""Parts that all prompts share: fixed instructions, passages as data, one answer for each passage."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ValidationError, model_validator

from app.llm.prompts.examples import ENGLISH
from app.llm.prompts.fence import fence_passages, generate_fence

Message = dict[str, str]
_MAX_ENTRIES = 1_000
"""Items of a list that are validated one by one; the others of a malformed answer are dropped."""
_UNSTORABLE = {0: None} | dict.fromkeys(range(0xD800, 0xE000))


def remove_unstorable_characters(text: str) -> str:
    """Return a model's text without the characters that cannot be stored."""
    # A model can write "\u0000" or half a surrogate pair, which Postgres cannot store
    # (docs/reliability.md, bad inputs 1 and 5).
    return text.translate(_UNSTORABLE)


Text = Annotated[str, AfterValidator(remove_unstorable_characters)]
"""A string from a model's answer without characters that cannot be stored."""


class QuotedClaim(NamedTuple):
    """A claim in words, and the quote that states it; "" without one."""

    claim: str
    quote: str


class NumberedFact(NamedTuple):
    """A claim, and the number by which a model refers to it."""

    number: int
    claim: str


def list_numbered_facts(claims: Sequence[QuotedClaim]) -> list[dict[str, Any]]:
    """Return the claims as JSON objects with their quotes and numbers, from 1."""
    return [
        {"fact": number, "claim": claim, "quote": quote} for number, (claim, quote) in enumerate(claims, 1)
    ]


def parse_numbered_facts(rendered_passage: str) -> list[NumberedFact]:
    """Return the claims of rendered data whose `facts` are `list_numbered_facts`, for model doubles."""
    return [NumberedFact(fact["fact"], fact["claim"]) for fact in json.loads(rendered_passage)["facts"]]


class PromptAnswer(BaseModel):
    """A part of a model's answer; null fields are treated as missing."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: field_value for name, field_value in value.items() if field_value is not None}
        return value


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """`entries` maps passage numbers from 1 to validated answers, `faults` the others to what is wrong."""

    entries: dict[int, dict[str, Any]]
    faults: dict[int, str]


class Gap(NamedTuple):
    """The part of a passage that an answer leaves out: a sentence about it, and whether that is all of it."""

    fault: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Prompt:
    """One kind of model call.

    `purpose` names it in the ledger. `version` changes with any word of the prompt. `schema` is the JSON
    schema of the whole answer `{"passages": [{"id", …}]}`; `entry_model` validates the part about one
    passage. `examples` are worked examples by language; a call has at most one, at the end of the system
    message. `has_independent_items` says that an entry is of use without those of its items that do not fit.
    `find_gap` returns what a validated entry leaves out of its passage.
    """

    purpose: str
    version: str
    system: str
    schema: Mapping[str, Any]
    entry_model: type[BaseModel]
    examples: Mapping[str, str] = field(default_factory=dict)
    has_independent_items: bool = False
    find_gap: Callable[[str, Mapping[str, Any]], Gap | None] | None = None

    def build_messages(
        self, passages: Sequence[str], *, fault: str | None = None, language: str = ENGLISH
    ) -> list[Message]:
        """Return the messages of a call, with the example in `language` or in English.

        `fault` says what was wrong with the previous answer.
        """
        example = self.examples.get(language) or self.examples.get(ENGLISH)
        system = f"{self.system}\n{example}" if example else self.system
        user_message = fence_passages(passages, generate_fence(passages))
        if fault is not None:
            user_message += f"\nYour last answer did not fit: {fault} Answer again, as JSON and complete."
        return [{"role": "system", "content": system}, {"role": "user", "content": user_message}]

    def compute_key(self, passage: str, *, model: str, parameters: Mapping[str, Any]) -> str:
        """Return the cache key of one passage (rule J6 of docs/reliability.md): SHA-256 of everything that
        identifies the question.

        The fence, the example and the other passages of the call are not included, so that another batching
        reuses the answers.
        """
        content = [model, dict(parameters), self.version, self.system, passage]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def parse_answers(
        self, answer: Mapping[str, Any], count: int, *, accepts_partial_answers: bool = False
    ) -> ReadAnswers:
        """Return the answers for passages 1 to `count`, each validated separately.

        With `accepts_partial_answers`, items of a passage that do not fit are dropped, and their number is
        the entry's `malformed`; without it, or if nothing fits, the passage has a fault.
        """
        passage_entries = answer.get("passages")
        if passage_entries is None and count == 1 and "id" in answer:
            passage_entries = [answer]
        if not isinstance(passage_entries, list):
            return ReadAnswers({}, dict.fromkeys(range(1, count + 1), 'There is no list "passages".'))
        parsed_answers = ReadAnswers({}, {})
        for passage_entry in passage_entries:
            number = _parse_number(passage_entry)
            if number is None or not 1 <= number <= count or number in parsed_answers.entries:
                continue
            try:
                parsed_answers.entries[number] = self.entry_model.model_validate(passage_entry).model_dump(
                    by_alias=True
                )
            except ValidationError as error:
                parsed_answers.faults[number] = _describe_fault(number, error)
                if (
                    accepts_partial_answers
                    and (entry_model := self._validate_items(passage_entry)) is not None
                ):
                    parsed_answers.entries[number] = entry_model
        for number in range(1, count + 1):
            if number in parsed_answers.entries:
                parsed_answers.faults.pop(number, None)
            else:
                parsed_answers.faults.setdefault(number, f"Passage {number} is missing.")
        return parsed_answers

    def reject_incomplete_answers(
        self, parsed_answers: ReadAnswers, passages: Sequence[str], *, accepts_some: bool
    ) -> ReadAnswers:
        """Return the answers without those that leave out items of their passages, which become faults.

        With `accepts_some`, only an answer that leaves out all of them does.
        """
        entries, faults = dict(parsed_answers.entries), dict(parsed_answers.faults)
        for number, entry_model in parsed_answers.entries.items():
            gap = self.find_gap(passages[number - 1], entry_model) if self.find_gap else None
            if gap is not None and (gap.is_whole or not accepts_some):
                faults[number] = f"Passage {number}: {gap.fault}"
                del entries[number]
        return ReadAnswers(entries, faults)

    def _validate_items(self, passage_entry: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the entry with those items of its lists that fit alone, or None if none does."""
        entries_by_name = {
            name: entries for name, entries in passage_entry.items() if isinstance(entries, list)
        }
        empty_answer = {**passage_entry, **{name: [] for name in entries_by_name}}
        fitting_entries = {
            name: [
                item
                for item in entries[:_MAX_ENTRIES]
                if self._is_valid_answer(empty_answer | {name: [item]})
            ]
            for name, entries in entries_by_name.items()
        }
        if not any(fitting_entries.values()):
            return None
        entry = self.entry_model.model_validate(empty_answer | fitting_entries).model_dump(by_alias=True)
        return entry | {
            "malformed": sum(map(len, entries_by_name.values())) - sum(map(len, fitting_entries.values()))
        }

    def _is_valid_answer(self, answer: Mapping[str, Any]) -> bool:
        try:
            self.entry_model.model_validate(answer)
        except ValidationError:
            return False
        return True


def _parse_number(passage_entry: object) -> int | None:
    number = passage_entry.get("id") if isinstance(passage_entry, dict) else None
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 6:
        return int(number)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _describe_fault(number: int, error: ValidationError) -> str:
    # Only the type and location: the value comes from a document and must not reach the model or a log.
    first_error = error.errors(include_url=False, include_context=False, include_input=False)[0]
    location = ".".join(
        str(path_part)
        for path_part in first_error["loc"]
        if isinstance(path_part, int) or path_part.isidentifier()
    )
    return f"Passage {number}: {first_error['type']} at {location[:80] or 'its entry'}."


def build_answer_schema(
    entry: Mapping[str, Any], name: str, **further_properties: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the strict JSON schema of `{"passages": [{"id": 1, name: [entry, …], …}]}`.

    `further_properties` holds further properties of a passage.
    """
    return build_object_schema(
        {
            "passages": build_list_schema(
                build_object_schema(
                    {
                        "id": {"type": "integer"},
                        name: build_list_schema(build_object_schema(entry)),
                        **further_properties,
                    }
                )
            )
        },
    )


def build_object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def build_list_schema(item_schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an array of `item_schemas`."""
    return {"type": "array", "items": dict(item_schemas)}
