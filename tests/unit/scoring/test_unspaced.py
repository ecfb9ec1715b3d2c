"""Requirement 15.4: where no spaces stand between words, two neighbouring characters are one."""

import pytest

from app.domain.scoring.keywords import (
    count_unspaced_characters,
    list_stems,
    split_unspaced_word_into_bigrams,
)


@pytest.mark.parametrize(
    ("word", "pairs"),
    [
        ("engine", ["engine"]),
        ("café", ["café"]),
        ("数据库", ["数据", "据库"]),
        ("用postgresql库", ["postgresql", "用", "库"]),
        ("한강은", ["한강", "강은"]),
        ("猫", ["猫"]),
    ],
)
def test_a_word_and_its_pairs(word: str, pairs: list[str]) -> None:
    assert split_unspaced_word_into_bigrams(word) == pairs


def test_stems_fold_accents_and_part_what_has_no_spaces() -> None:
    assert list_stems("Besançon") == list_stems("Besancon")
    assert list_stems("图谱系统") == {"图谱", "谱系", "系统"}
    assert count_unspaced_characters("用 PostgreSQL 数据库") == 4


def test_forms_of_a_word_have_one_stem() -> None:
    assert list_stems("supply supplies supplied") == {"supply"}
    assert list_stems("a movie and movies") == list_stems("movie")
    assert list_stems("rachetée") == list_stems("racheté")
