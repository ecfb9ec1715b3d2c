"""Who is whose kin, and for whom pronouns and descriptions stand: what is stated, and what is not."""

import pytest

from tests.unit.extraction.rules.test_rules_changes import stated
from tests.unit.extraction.rules.test_rules_denials import claims

# text | what is stated; a "no" before what is denied, a "not" before what is not stated at all.
FAMILIES = """
Eva Stone's parents are Karl Stone and Mary Stone. | Karl Stone, parent_of, Eva Stone; Mary Stone, parent_of, Eva Stone
The parents of Eva Stone are Karl Stone and Mary Stone. | Mary Stone, parent_of, Eva Stone
Eva Stone's father is Karl Stone and her mother is Mary Stone. | Karl Stone, parent_of, Eva Stone; Mary Stone, parent_of, Eva Stone; not Mary Stone, parent_of, Karl Stone
Eva Stone lives in Oslo with her parents, Karl Stone and Mary Stone. | Karl Stone, parent_of, Eva Stone; Mary Stone, parent_of, Eva Stone
Karl Stone and Eva Stone are siblings. | Karl Stone, sibling_of, Eva Stone
Karl Stone and Ben Stone are twin brothers. | Karl Stone, sibling_of, Ben Stone
Karl Stone and Ben Stone are not brothers. | no Karl Stone, sibling_of, Ben Stone
Karl Stone and Eva Stone are cousins. | Karl Stone, relative_of, Eva Stone
Karl Stone and Eva Reed are husband and wife. | Karl Stone, married_to, Eva Reed
Karl Stone and Max Stone are father and son. | Karl Stone, parent_of, Max Stone
The brothers Karl Stone and Ben Stone founded Acme. | Karl Stone, sibling_of, Ben Stone; Ben Stone, created, Acme
Mary Stone gave birth to Eva Stone in 1990. | Mary Stone, parent_of, Eva Stone
Mary Stone gave birth to a son, Max Stone, in 1990. | Mary Stone, parent_of, Max Stone
Karl Stone fathered Max Stone. | Karl Stone, parent_of, Max Stone
Lisa Reed and John Dale have two children, Ann Dale and Tom Dale. | John Dale, parent_of, Tom Dale; Lisa Reed, parent_of, Ann Dale
Lisa Reed has a son, Max Dale, and a daughter, Ann Dale. | Lisa Reed, parent_of, Ann Dale; not Max Dale, parent_of, Ann Dale
Karl Stone had two children with Eva Reed: Max Reed and Tom Reed. | Eva Reed, parent_of, Tom Reed; Karl Stone, parent_of, Max Reed
Karl Stone is survived by his wife Mary Stone and sons Max Stone and Tom Stone. | Karl Stone, parent_of, Tom Stone; Mary Stone, married_to, Karl Stone; not Mary Stone, parent_of, Max Stone
Karl Stone lives with his wife, Mary Stone, and their son, Max Stone. | Karl Stone, parent_of, Max Stone; Mary Stone, parent_of, Max Stone
Karl Stone and his wife Mary Stone live in Oslo. | Karl Stone, lives_in, Oslo; Mary Stone, lives_in, Oslo; Mary Stone, married_to, Karl Stone
Karl Stone's son Max Stone and Eva Reed founded Acme. | Karl Stone, parent_of, Max Stone; Eva Reed, created, Acme; not Karl Stone, parent_of, Eva Reed
Karl Stone is Eva Stone's father. | Karl Stone, parent_of, Eva Stone
Karl Stone is not Eva Stone's father. | no Karl Stone, parent_of, Eva Stone
Karl Stone is the great-uncle of Eva Reed. | Karl Stone, relative_of, Eva Reed
John Dale is Karl Stone's son-in-law. | John Dale, relative_of, Karl Stone; not Karl Stone, parent_of, John Dale
Mary Reed is Karl Stone's ex-wife. | no Mary Reed, married_to, Karl Stone
Karl Stone has a brother named Ben Stone. | Ben Stone, sibling_of, Karl Stone
Max Stone, whose parents are Karl Stone and Mary Stone, lives in Oslo. | Mary Stone, parent_of, Max Stone; Max Stone, lives_in, Oslo
Karl Stone may be Eva Stone's father. | not Karl Stone, parent_of, Eva Stone
Karl Stone claims that Ben Lee is Eva Stone's father. | not Ben Lee, parent_of, Eva Stone
Karl Stone and Ben Stone could be brothers. | not Karl Stone, sibling_of, Ben Stone
Karl Stone's wife's brother Ben Reed lives in Oslo. | not Ben Reed, sibling_of, Karl Stone; not Ben Reed, married_to, Karl Stone
Eva Stone's father met Ben Lee in Oslo. | not Ben Lee, parent_of, Eva Stone
Karl Stone's father figure was Ben Lee. | not Ben Lee, parent_of, Karl Stone
Karl Stone, Eva Stone's doctor, lives in Oslo. | not Karl Stone, parent_of, Eva Stone
Karl Stone, his wife, Mary Stone, and Eva Reed live in Oslo. | not Karl Stone, married_to, Karl Stone; not Karl Stone, married_to, Eva Reed
Karl Stone divorced his wife Mary Stone in 2010. | no Karl Stone, married_to, Mary Stone; not Mary Stone, married_to, Karl Stone
Eva Reed, the youngest daughter of Karl Stone and his wife Mary Stone, lives in Oslo. | Karl Stone, parent_of, Eva Reed; Mary Stone, parent_of, Eva Reed
In the film, Karl Stone is Eva Reed's father. | not Karl Stone, parent_of, Eva Reed
Acme's founder met Ben Lee in Oslo. | not Ben Lee, created, Acme
"""  # noqa: E501

MEANT = """
Karl Stone is ill. His doctor, Jonas Feld, will come. His daughter Petra Lind lives in Oslo. | Petra Lind, lives_in, Oslo; not Jonas Feld, parent_of, Petra Lind
Eva Stone is ill. Her boss, Mary Feld, will come. Her son Karl Lind lives in Oslo. | Karl Lind, lives_in, Oslo; not Mary Feld, parent_of, Karl Lind
Karl Stone is ill. His wife, Mary Stone, will come. Her son Ole Lind lives in Oslo. | Mary Stone, parent_of, Ole Lind
Lisa Reed married John Dale in 2010. They divorced in 2018. | no Lisa Reed, married_to, John Dale
Lisa Reed married John Dale in 2010. The couple divorced in 2018. | no Lisa Reed, married_to, John Dale
Lisa Reed married John Dale in 2010. Their marriage ended in 2018. | no Lisa Reed, married_to, John Dale
Lisa Reed married John Dale in 2010. They have two children, Ann Dale and Tom Dale. | Lisa Reed, parent_of, Ann Dale; John Dale, parent_of, Tom Dale
Lisa Reed married John Dale in 2010. The couple's son Max Dale was born in 2012. | Lisa Reed, parent_of, Max Dale; John Dale, parent_of, Max Dale
Lisa Reed and John Dale met Ann Lee and Bob Ray. They divorced in 2018. | not no Lisa Reed, married_to, John Dale; not no Ann Lee, married_to, Bob Ray
Lisa Reed married John Dale in 2010. Ann Lee was a guest. They divorced in 2018. | not no Lisa Reed, married_to, John Dale
Lisa Reed married John Dale in 2010. He works for Acme Foods. | John Dale, works_for, Acme Foods; not Lisa Reed, works_for, Acme Foods
Ann Lee hired Bob Ray in 2010. He founded Globex Ltd in 2015. | Bob Ray, created, Globex Ltd; not Ann Lee, created, Globex Ltd
Ann Lee hired Eva Ray in 2010. She founded Globex Ltd in 2015. | not Eva Ray, created, Globex Ltd; not Ann Lee, created, Globex Ltd
Bob Ray manages Ann Lee. She joined Acme Ltd in 2010. | Ann Lee, works_for, Acme Ltd; not Bob Ray, works_for, Acme Ltd
Lisa Reed met John Dale in 2005. He lives in Oslo. She lives in Bergen. | John Dale, lives_in, Oslo; not Lisa Reed, lives_in, Oslo
Tom Fox is a baker. Ann Lee told him that he works for Acme Foods. | Tom Fox, works_for, Acme Foods; not Ann Lee, works_for, Acme Foods
Tom Fox met Bob Ray and his wife Mary Ray. | Mary Ray, married_to, Bob Ray; not Mary Ray, married_to, Tom Fox
Ann Lee and Bob Ray founded Acme Ltd in 2001. They live in Oslo. | Ann Lee, lives_in, Oslo; Bob Ray, lives_in, Oslo
Ann Lee and Bob Ray met at Acme Ltd. The two founded Globex Ltd in 2010. | Ann Lee, created, Globex Ltd; Bob Ray, created, Globex Ltd
Ann Lee founded Acme Ltd in 2001. The company is based in Oslo. | Acme Ltd, located_in, Oslo
Ann Lee founded Acme Ltd in 2001. It is based in Oslo. | Acme Ltd, located_in, Oslo
Ann Lee founded Acme Ltd in 2001. Bob Ray joined the company in 2005. | Bob Ray, works_for, Acme Ltd
Ann Lee founded Acme Ltd in 2001. She left the company in 2010. | no Ann Lee, works_for, Acme Ltd
Acme Ltd makes pumps. In 2010 it acquired Globex Robotics. | Acme Ltd, owns, Globex Robotics
Acme Ltd makes pumps. In 2010 the company acquired Globex Robotics. | Acme Ltd, owns, Globex Robotics
Acme Ltd makes pumps. The company owned by Ann Lee is in Oslo. | not Ann Lee, owns, Acme Ltd
Acme Ltd is based in Oslo. Its CEO is Ann Lee. | Ann Lee, head_of, Acme Ltd
Acme Ltd is based in Oslo. Its founder, Ann Lee, lives in Bergen. | Ann Lee, created, Acme Ltd; not Acme Ltd, located_in, Bergen
Acme Ltd acquired Zeta Ltd in 2010. The company is based in Oslo. | not Acme Ltd, located_in, Oslo; not Zeta Ltd, located_in, Oslo
Acme Ltd acquired Zeta Ltd in 2010. It is based in Oslo. | not Acme Ltd, located_in, Oslo; not Zeta Ltd, located_in, Oslo
Zeta Ltd is a subsidiary of Acme Foods. It was founded by Ann Lee. | Ann Lee, created, Zeta Ltd; not Ann Lee, created, Acme Foods
The Red Foxes are a band from Oslo. Ann Lee joined the band in 2010. | Ann Lee, member_of, Red Foxes
Acme Foods created Falcon in 2010. The database is written in Rust. | not Acme Foods, uses, Rust
Acme Foods and Globex Kitchens compete. The company is based in Oslo. | not Acme Foods, located_in, Oslo
Ann Lee took over Acme Foods from her father, Karl Lee. | not no Ann Lee, owns, Acme Foods
The Red Foxes are a band from Oslo. Its members are Ann Lee and Bob Ray. | Ann Lee, member_of, Red Foxes
Glass Hill is a 2010 film. Ann Lee directed the film. | Ann Lee, created, Glass Hill
"""  # noqa: E501


@pytest.mark.parametrize("line", [*FAMILIES.strip().splitlines(), *MEANT.strip().splitlines()])
def test_families_and_those_whom_a_word_stands_for(line: str) -> None:
    text, expected = line.split(" | ")
    found = stated(text)
    for expected_fact in expected.split("; "):
        written = expected_fact.removeprefix("not ")
        source, relation, target = written.removeprefix("no ").split(", ")
        sign = "-" if written.startswith("no ") else "+"
        is_stated = (source, relation, target, sign) in found
        if relation in ("sibling_of", "married_to"):
            is_stated = is_stated or (target, relation, source, sign) in found
        assert is_stated != expected_fact.startswith("not "), (expected_fact, found)


def test_a_date_beside_a_wife_is_not_that_of_the_marriage() -> None:
    assert "Mary Stone married_to Karl Stone" in claims("Karl Stone lost his wife Mary Stone in 2010.")
    assert "Karl Stone married_to Mary Stone [2010..]" in claims("Karl Stone married Mary Stone in 2010.")
