"""ZIP containers of office documents and others: checks before and during unpacking."""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from app.documents.parsers import parse_errors
from app.errors import CitegraphError
from app.limits import ARCHIVE_BYTES, ARCHIVE_ENTRIES, ARCHIVE_RATIO

# Word's XML compresses 10 to 30 times, a bomb 1,000 times. Small parts may exceed the ratio.
_RATIO_FLOOR_BYTES = 1024 * 1024
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
ARCHIVE_BOMB = "archive_bomb"
"""The error code of an archive whose files exceed the limits in all."""
DAMAGED_DOCUMENT = "damaged_document"
"""The error code of an entry whose bytes are broken."""
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
_INFLATED_STEP_BYTES = 64 * 1024
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ARCHIVE_NAME = re.compile(
    r"\.(zip|docx|docm|xlsx|xlsm|pptx|jar|gz|tgz|bz2|xz|7z|rar|tar|odt|epub)\Z", re.IGNORECASE
)
_MAX_MEGABYTES = ARCHIVE_BYTES.maximum // 1024 // 1024
# Of an archive with many bombs. Unpacking so much takes some seconds.
_MAX_INFLATED_BYTES = 10 * ARCHIVE_BYTES.maximum
_ADVICE_IN_PARTS, _ADVICE_WITHOUT_ARCHIVE = "send it in parts", "save it without that"
# Embedded workbooks of charts, which are never opened.
_EMBEDDED_FILE_PATH = re.compile(r"(?:word|ppt|xl)/embeddings/[^/]+\Z")
_ARCHIVE_SIGNATURES = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"BZh9",
)


class InnerBudget:
    """Counts the files and bytes inside one file at any depth. Raises `archive_bomb` over the limits.

    A refused archive inside gives back what it took, so that the files around it are read.
    """

    def __init__(self) -> None:
        self._file_count = 0
        self._byte_count = 0
        self._inflated_bytes = 0

    @property
    def is_too_much_unpacked(self) -> bool:
        """True if so much was unpacked, refused files included, that the whole file is dangerous."""
        return self._inflated_bytes > _MAX_INFLATED_BYTES

    @property
    def remaining_bytes(self) -> int:
        """The number of bytes that further files may have."""
        return ARCHIVE_BYTES.maximum - self._byte_count

    def count_file(self) -> None:
        """Count a file."""
        self._file_count += 1
        if self._file_count > ARCHIVE_ENTRIES.maximum:
            raise parse_errors.build_archive_bomb_error(
                f"it holds more than {ARCHIVE_ENTRIES.maximum:,} files in all"
            )

    def count_bytes(self, byte_count: int) -> None:
        """Count the bytes of a file."""
        self._byte_count += byte_count
        if self._byte_count > ARCHIVE_BYTES.maximum:
            raise parse_errors.build_archive_bomb_error(f"it unpacks to more than {_MAX_MEGABYTES} MB in all")

    def count_unpacked_bytes(self, byte_count: int) -> None:
        """Count bytes that were unpacked, whether or not their file is refused."""
        self._inflated_bytes += byte_count
        if self.is_too_much_unpacked:
            raise parse_errors.build_archive_bomb_error(
                f"its entries unpack to more than {_MAX_MEGABYTES} MB again and again"
            )

    @contextmanager
    def subtract_file_on_error(self) -> Iterator[None]:
        """Forget the files and bytes counted in the block if it raises."""
        counts = self._file_count, self._byte_count
        try:
            yield
        except Exception:
            self._file_count, self._byte_count = counts
            raise


def is_zip(file_bytes: bytes) -> bool:
    """Return whether the bytes begin like a ZIP container."""
    return file_bytes.startswith(_ZIP_SIGNATURES)


def check_directory_and_list_names(file_bytes: bytes) -> frozenset[str]:
    """Return the names in the container after checks that need no unpacking.

    Raises InvalidInput `archive_refused` for too many entries, a declared size or ratio over the limits, a
    path outside the container, an encrypted entry or a nested archive, and `damaged_document` if the
    directory cannot be read.
    """
    entry_names: set[str] = set()
    total_bytes = 0
    for entry in _read_directory_within_limit(file_bytes):
        total_bytes += entry.file_size
        _refuse_dangerous_entry(entry)
        _refuse_oversized_entry(entry, entry.file_size, total_bytes)
        entry_names.add(entry.filename)
    return frozenset(entry_names)


def list_entry_names(file_bytes: bytes) -> frozenset[str]:
    """Return the unchecked names in the container. Raises `damaged_document` for an unreadable directory."""
    return frozenset(entry.filename for entry in _read_directory(file_bytes))


class InnerFile(NamedTuple):
    """The name of a file inside another one with its bytes, or why it is refused."""

    name: str
    content: bytes | CitegraphError


def iter_members(file_bytes: bytes, budget: InnerBudget) -> Iterator[InnerFile]:
    """Yield each file in the container.

    Raises InvalidInput `archive_bomb` if the files that can be read exceed the limits, and
    `damaged_document` for a broken directory.
    """
    for entry in _read_directory(file_bytes):
        if entry.is_dir():
            continue
        budget.count_file()
        name = _get_entry_path(entry)
        try:
            yield InnerFile(name, _unpack_member(file_bytes, entry, budget))
        except CitegraphError as error:
            if error.code == ARCHIVE_BOMB:
                raise
            yield InnerFile(name, error)


def _unpack_member(file_bytes: bytes, entry: zipfile.ZipInfo, budget: InnerBudget) -> bytes:
    """Return the bytes of the entry. Raises InvalidInput `archive_bomb` if it is one too many, or another
    code if the entry itself is refused.
    """
    if _is_path_outside_container(_get_entry_path(entry)):
        raise parse_errors.build_unsafe_entry_error("its path leads out of the archive", "rename it")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise parse_errors.build_linked_entry_error()
    if entry.flag_bits & _ENCRYPTED_FLAG:
        raise parse_errors.build_encrypted_document_error()
    pieces = []
    byte_count = 0
    for piece in _iter_unverified_pieces(file_bytes, entry):
        byte_count += len(piece)
        budget.count_unpacked_bytes(len(piece))
        if _exceeds_compression_ratio(entry, byte_count):
            raise parse_errors.build_unsafe_entry_error(
                f"it unpacks to more than {ARCHIVE_RATIO.maximum} times its size"
            )
        if byte_count > ARCHIVE_BYTES.maximum:
            raise parse_errors.build_unsafe_entry_error(f"it unpacks to more than {_MAX_MEGABYTES} MB")
        if byte_count <= budget.remaining_bytes:
            pieces.append(piece)
    budget.count_bytes(byte_count)
    return b"".join(pieces)


def check_unpacked_sizes_and_list_damaged_names(file_bytes: bytes) -> set[str]:
    """Unpack every entry without storing it, and check real sizes, since a directory may declare false ones.

    Returns the names of the entries whose bytes are damaged. Holds 64 KB at a time. Raises InvalidInput
    `archive_refused` past the limits or for an archive inside.
    """
    damaged_names = set()
    total_bytes = 0
    for entry in _read_directory_within_limit(file_bytes):
        byte_count = 0
        checksum = 0
        try:
            for inflated_bytes in _iter_unverified_pieces(file_bytes, entry):
                if (
                    byte_count == 0
                    and inflated_bytes.startswith(_ARCHIVE_SIGNATURES)
                    and not _EMBEDDED_FILE_PATH.match(entry.filename)
                ):
                    raise parse_errors.build_archive_refused_error(
                        "it holds another archive", advice=_ADVICE_WITHOUT_ARCHIVE
                    )
                byte_count += len(inflated_bytes)
                checksum = zlib.crc32(inflated_bytes, checksum)
                _refuse_oversized_entry(entry, byte_count, total_bytes + byte_count)
        except CitegraphError as error:
            if error.code != DAMAGED_DOCUMENT:
                raise
            damaged_names.add(entry.filename)
        else:
            if checksum != entry.CRC:
                damaged_names.add(entry.filename)
        total_bytes += byte_count
    return damaged_names


def _read_directory(file_bytes: bytes) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(io.BytesIO(file_bytes)) as container:
            return container.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, OSError):
        raise parse_errors.build_damaged_document_error(
            "The document's zip container is cut off or damaged"
        ) from None


def _read_directory_within_limit(file_bytes: bytes) -> list[zipfile.ZipInfo]:
    entries = _read_directory(file_bytes)
    if len(entries) > ARCHIVE_ENTRIES.maximum:
        raise parse_errors.build_archive_refused_error(
            f"it holds more than {ARCHIVE_ENTRIES.maximum:,} entries", advice=_ADVICE_IN_PARTS
        )
    return entries


def _get_entry_path(entry: zipfile.ZipInfo) -> str:
    # `orig_filename`, because zipfile truncates names at NUL and replaces separators.
    name = entry.orig_filename
    if not entry.flag_bits & _UTF8_FLAG:
        # The archiver of macOS writes UTF-8 without setting the flag.
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


# "C:" of Windows; elsewhere a colon is a character like others: "Minutes 10:30.txt".
_DRIVE = re.compile(r"[A-Za-z]:")


def _is_path_outside_container(path: str) -> bool:
    is_absolute = path.startswith("/") or _DRIVE.match(path) is not None
    return is_absolute or "\x00" in path or ".." in path.split("/")


def _exceeds_compression_ratio(entry: zipfile.ZipInfo, byte_count: int) -> bool:
    return byte_count > _RATIO_FLOOR_BYTES and byte_count > ARCHIVE_RATIO.maximum * max(
        1, entry.compress_size
    )


def _refuse_dangerous_entry(entry: zipfile.ZipInfo) -> None:
    name = _get_entry_path(entry)
    if entry.flag_bits & _ENCRYPTED_FLAG:
        raise parse_errors.build_archive_refused_error(
            "an entry is encrypted", advice="save it without a password"
        )
    if _is_path_outside_container(name):
        raise parse_errors.build_archive_refused_error("an entry's path leaves the container")
    if _ARCHIVE_NAME.search(name) and not _EMBEDDED_FILE_PATH.match(name):
        raise parse_errors.build_archive_refused_error(
            "it holds another archive", advice=_ADVICE_WITHOUT_ARCHIVE
        )


def _refuse_oversized_entry(entry: zipfile.ZipInfo, byte_count: int, total_bytes: int) -> None:
    if total_bytes > ARCHIVE_BYTES.maximum:
        raise parse_errors.build_archive_refused_error(
            f"it unpacks to more than {_MAX_MEGABYTES} MB", advice=_ADVICE_IN_PARTS
        )
    if _exceeds_compression_ratio(entry, byte_count):
        raise parse_errors.build_archive_refused_error(
            f"an entry unpacks to more than {ARCHIVE_RATIO.maximum} times its size"
        )


def _iter_unverified_pieces(file_bytes: bytes, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the real unpacked bytes of the entry, whatever the directory declares."""
    start = entry.header_offset
    if start + _LOCAL_HEADER.size > len(file_bytes):
        raise parse_errors.build_damaged_document_error("The document's zip container is cut off")
    signature, name_length, extra_length = _LOCAL_HEADER.unpack_from(file_bytes, start)
    if signature != b"PK\x03\x04":
        raise parse_errors.build_damaged_document_error("The document's zip container is damaged")
    start += _LOCAL_HEADER.size + name_length + extra_length
    packed_bytes = memoryview(file_bytes)[start : start + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_STORED:
        yield bytes(packed_bytes)
        return
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise parse_errors.build_archive_refused_error(
            "an entry is packed in a way that office programs do not use"
        )
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    pending_bytes: bytes | memoryview = packed_bytes
    try:
        while pending_bytes and not inflater.eof:
            yield inflater.decompress(pending_bytes, _INFLATED_STEP_BYTES)
            pending_bytes = inflater.unconsumed_tail
    except zlib.error:
        raise parse_errors.build_damaged_document_error("The document's zip container is damaged") from None
