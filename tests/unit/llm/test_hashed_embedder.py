"""The embedder that needs no key: the same text gives the same vector on every machine."""

import hashlib
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.llm.embedding.hashed import HashedEmbedder

EMBEDDER = HashedEmbedder()


def similarity(a: str, b: str) -> float:
    vectors = EMBEDDER.embed([a, b])
    return float(vectors[0] @ vectors[1])


@given(st.lists(st.text(), min_size=1, max_size=8))
def test_every_text_has_a_finite_unit_vector(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)
    assert vectors.shape == (len(texts), 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@given(st.lists(st.text(alphabet="abc é東\n.'+", max_size=30), min_size=2, max_size=6))
def test_a_vector_does_not_depend_on_its_batch(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    alone = np.concatenate([EMBEDDER.embed([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-6)


def test_shared_words_are_nearer_than_none() -> None:
    paraphrase = similarity(
        "Stonebraker created Ingres at Berkeley", "Ingres was created by Stonebraker in Berkeley"
    )
    assert paraphrase > 0.5
    assert paraphrase > 0.3 + similarity(
        "Stonebraker created Ingres at Berkeley", "It rains in Paris this week"
    )
    assert similarity("PostgreSQL", "Postgres") > similarity("PostgreSQL", "Oracle")


def test_case_punctuation_and_composition_do_not_matter() -> None:
    assert similarity("Caf\u00e9, BERLIN!", "cafe\u0301 berlin") > 0.999


def test_punctuation_alone_has_one_fixed_vector_and_nothing_has_no_rows() -> None:
    vectors = EMBEDDER.embed(["...", "", "?!"])
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[0], vectors[2])
    assert EMBEDDER.embed([]).shape == (0, 256)


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from app.llm.embedding.hashed import HashedEmbedder; "
        "print(hashlib.sha256(HashedEmbedder().embed(['Ingres led to Postgres', 'é']).tobytes()).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = hashlib.sha256(np.asarray(EMBEDDER.embed(["Ingres led to Postgres", "é"])).tobytes()).hexdigest()
    assert run.stdout.strip() == here


def test_two_characters_are_a_word_where_no_spaces_stand() -> None:
    """A question in Chinese, Japanese or Korean shares few long runs with its passage, and some pairs."""
    texts = [
        "知识图谱把实体和关系存放在数据库中。系统会从文档中抽取三元组。",
        "今天上海的天气很好，适合出门散步。公园里有很多人。",
        "银行系统每天处理大量交易，数据存放在磁带上。",
        "京都では抹茶がとても有名で、多くの茶室がある。",
        "김치는 배추로 만드는 한국의 전통 음식이다.",
    ]
    vectors = EMBEDDER.embed(texts)
    for asked, place in (("图谱", 0), ("天气", 1), ("交易", 2), ("抹茶はどこ", 3), ("배추", 4)):
        assert int((vectors @ EMBEDDER.embed([asked])[0]).argmax()) == place, asked
