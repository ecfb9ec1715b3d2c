"""Resolution of pronouns and descriptions ("she", "the company") to names.

Claims (`references.py`): each sentence's references are resolved to one of the entities named before them
(`antecedents.py`). Statements (`rules/statements.py`) have syntax trees, whose subject pronoun is resolved to
the subject of the sentence before (`centering.py`), and then other personal pronouns to the person of the
last sentences (`person_focus.py`). An ambiguous pronoun is not resolved.
"""
