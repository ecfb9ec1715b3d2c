"""What is to be done with a folder: moved documents are not read again, and no two want one address."""

from hypothesis import given
from hypothesis import strategies as st

from app.documents.folder_plan import LocalFile, Move, plan_folder_sync, split_moves_into_batches
from app.documents.shapes import StoredFile
from app.ids import DocumentId, create_id

ADDRESSES, CONTENTS = "abcde", "123"
FOLDERS = st.dictionaries(st.sampled_from(ADDRESSES), st.sampled_from(CONTENTS))


def stored(address: str, content: str, state: str = "ready", code: str | None = None) -> StoredFile:
    return StoredFile(DocumentId(create_id()), address, content, state, code)


@given(FOLDERS, FOLDERS, st.sets(st.sampled_from(ADDRESSES)))
def test_whatever_stood_there_the_plan_ends_in_the_folder(
    before: dict[str, str], after: dict[str, str], unreadable: set[str]
) -> None:
    after = {address: content for address, content in after.items() if address not in unreadable}
    documents = [stored(*item) for item in before.items()]
    plan = plan_folder_sync([LocalFile(*item) for item in after.items()], documents, unreadable)
    contents = {document.id: document.content_hash for document in documents}
    space = {document.source_uri: document.content_hash for document in documents}
    for move in plan.moves:
        del space[move.document.source_uri]
    for move in plan.moves:
        assert move.address not in space
        space[move.address] = contents[move.document.id]
    for address in plan.new_addresses:
        assert address not in space
        space[address] = after[address]
    for address in plan.changed_addresses:
        assert address in space
        space[address] = after[address]
    for document in plan.removed_files:
        del space[document.source_uri]
    kept = {address: content for address, content in before.items() if address in unreadable}
    assert space == {**after, **kept}


def test_files_that_trade_their_names_are_moved() -> None:
    documents = [stored("a", "1"), stored("b", "2")]
    plan = plan_folder_sync([LocalFile("a", "2"), LocalFile("b", "1")], documents)
    assert {(move.document.source_uri, move.address) for move in plan.moves} == {("a", "b"), ("b", "a")}
    assert [plan.new_addresses, plan.changed_addresses, plan.removed_files] == [[], [], []]


def test_a_document_that_was_not_read_is_not_moved() -> None:
    plan = plan_folder_sync([LocalFile("b", "1")], [stored("a", "1", "queued")])
    assert (plan.new_addresses, [document.source_uri for document in plan.removed_files]) == (["b"], ["a"])


def test_only_a_failure_that_may_pass_is_tried_again() -> None:
    for code, changed in (("cancelled", ["a"]), ("encrypted", [])):
        assert (
            plan_folder_sync([LocalFile("a", "1")], [stored("a", "1", "failed", code)]).changed_addresses
            == changed
        )


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.integers(1, 4))
def test_moves_can_be_made_part_by_part(targets: list[int], leaving: set[int], most: int) -> None:
    """Whoever leaves for an address finds it empty, or its document leaves in the same part."""
    moves = [Move(stored(str(old), "1"), str(targets[old])) for old in leaving if targets[old] != old]
    free = {str(number) for number in range(8)} - {str(old) for old in leaving}
    standing = {move.document.source_uri for move in moves}
    moves = [move for move in moves if move.address in standing or move.address in free]
    while True:
        standing = {move.document.source_uri for move in moves}
        possible = [move for move in moves if move.address in standing | free]
        if possible == moves:
            break
        moves = possible
    taken = {move.document.source_uri for move in moves}
    batches = split_moves_into_batches(moves, most)
    assert sorted(move.address for batch in batches for move in batch) == sorted(
        move.address for move in moves
    )
    for batch in batches:
        taken -= {move.document.source_uri for move in batch}
        assert not taken & {move.address for move in batch}
        taken |= {move.address for move in batch}
        if len(batch) > most:
            assert {move.address for move in batch} == {move.document.source_uri for move in batch}
