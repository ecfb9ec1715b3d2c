"""Compare the files of a folder with the documents that a space has of it. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from app.documents.shapes import StoredFile
from app.ids import DocumentId

# Failures that do not depend on the content: reading it again may succeed.
_PASSING_FAILURES = frozenset({"cancelled", "job_failed"})


@dataclass(frozen=True)
class LocalFile:
    """A file of the folder: its address and content hash, as documents have them."""

    address: str
    content_hash: str


@dataclass(frozen=True)
class Move:
    """A document whose file now has another address."""

    document: StoredFile
    address: str


@dataclass
class FolderPlan:
    """The changes that make a space match the folder."""

    new_addresses: list[str] = field(default_factory=list)
    changed_addresses: list[str] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    removed_files: list[StoredFile] = field(default_factory=list)
    unchanged_files: list[StoredFile] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to do."""
        return not (self.new_addresses or self.changed_addresses or self.moves or self.removed_files)


def plan_folder_sync(
    files: Sequence[LocalFile], stored_files: Sequence[StoredFile], unreadable_addresses: Collection[str] = ()
) -> FolderPlan:
    """Return the changes to make. Documents at `unreadable_addresses` addresses are not changed.

    If a file's content was at another address that no longer has it, its document is moved, not read again.
    """
    document_by_address = {document.source_uri: document for document in stored_files}
    hash_by_address = {file.address: file.content_hash for file in files}
    moves = _find_moves_by_new_address(files, document_by_address, hash_by_address, unreadable_addresses)
    moved_ids = {move.document.id for move in moves.values()}
    plan = FolderPlan(moves=list(moves.values()))
    for file in files:
        document = document_by_address.get(file.address)
        if file.address in moves:
            continue
        if document is None or document.id in moved_ids:
            plan.new_addresses.append(file.address)
        elif document.content_hash == file.content_hash and document.failure_code not in _PASSING_FAILURES:
            plan.unchanged_files.append(document)
        else:
            plan.changed_addresses.append(file.address)
    plan.removed_files = [
        document
        for document in stored_files
        if document.source_uri not in hash_by_address
        and document.source_uri not in unreadable_addresses
        and document.id not in moved_ids
    ]
    return plan


def plan_folder_rename(
    earlier_files: Sequence[StoredFile], stored_files: Sequence[StoredFile], old_prefix: str, new_prefix: str
) -> list[Move]:
    """Return the moves of a renamed folder's documents to the same paths below its new name.

    A document stays where it is if another one has its new address.
    """
    taken_addresses = {document.source_uri for document in stored_files}
    return [
        Move(document, address)
        for document in earlier_files
        if (address := new_prefix + document.source_uri.removeprefix(old_prefix)) not in taken_addresses
    ]


def find_prefix_of_renamed_folder(
    files: Sequence[LocalFile], stored_files: Sequence[StoredFile], prefix: str
) -> str | None:
    """Return the prefix below which at least half of the files are stored, with the same path and content.

    `prefix` begins the addresses of the files. None if there is no such folder.
    """
    local_contents = {(file.address.removeprefix(prefix), file.content_hash) for file in files}
    counts: Counter[str] = Counter()
    for document in stored_files:
        folder_name, separator, path = document.source_uri.partition("/")
        if (path, document.content_hash) in local_contents:
            counts[folder_name + separator] += 1
    for earlier_prefix, count in counts.most_common(1):
        if count * 2 >= len(local_contents):
            return earlier_prefix
    return None


def split_moves_into_batches(moves: Sequence[Move], max_moves: int) -> list[list[Move]]:
    """Split the moves into batches of at most `max_moves` that can be applied in order.

    Documents that exchange addresses in a cycle are in one batch, whatever their number.
    """
    move_by_old_address = {move.document.source_uri: move for move in moves}
    batches: list[list[Move]] = [[]]
    done_addresses: set[str] = set()
    for move in moves:
        move_chain: list[Move] = []
        # The document at the new address must move first.
        next_move: Move | None = move
        while next_move is not None and next_move.address not in done_addresses:
            move_chain.append(next_move)
            done_addresses.add(next_move.address)
            next_move = move_by_old_address.get(next_move.address)
        is_cycle = bool(move_chain) and next_move is move_chain[0]
        for batch in [move_chain] if is_cycle else [[step] for step in reversed(move_chain)]:
            if len(batches[-1]) + len(batch) > max_moves:
                batches.append([])
            batches[-1].extend(batch)
    return [batch for batch in batches if batch]


def _find_moves_by_new_address(
    files: Sequence[LocalFile],
    document_by_address: dict[str, StoredFile],
    hash_by_address: dict[str, str],
    unreadable_addresses: Collection[str],
) -> dict[str, Move]:
    """Return the moves by new address; none leads to an address that another document keeps."""
    movable_documents_by_hash: dict[str, list[StoredFile]] = defaultdict(list)
    for document in document_by_address.values():
        is_unchanged = hash_by_address.get(document.source_uri) == document.content_hash
        if not is_unchanged and document.source_uri not in unreadable_addresses and document.state == "ready":
            movable_documents_by_hash[document.content_hash].append(document)
    move_by_address: dict[str, Move] = {}
    for file in files:
        stored_file = document_by_address.get(file.address)
        if stored_file is not None and stored_file.content_hash == file.content_hash:
            continue
        if candidates := movable_documents_by_hash[file.content_hash]:
            move_by_address[file.address] = Move(candidates.pop(0), file.address)
    while True:
        leaving_ids: set[DocumentId] = {move.document.id for move in move_by_address.values()}
        blocked_addresses = [
            address
            for address in move_by_address
            if address in document_by_address and document_by_address[address].id not in leaving_ids
        ]
        if not blocked_addresses:
            return move_by_address
        for address in blocked_addresses:
            del move_by_address[address]
