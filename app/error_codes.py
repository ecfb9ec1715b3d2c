"""Every code of a failure, once: its status, what it means, and what whoever meets it does.

An exception is raised with one of these codes; its HTTP status, the enumeration of the OpenAPI document, the
client's type and docs/errors.md come from here.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code for programs. `status` is None where it is told of a job, a document or a chunk alone, never as
    the answer to a request.
    """

    code: str
    status: int | None
    meaning: str
    action: str


def _range(name: str, meaning: str) -> ErrorCode:
    """The code of a number outside its bounds."""
    return ErrorCode(f"{name}_out_of_range", 422, meaning, "Keep to the bounds that `detail` names.")


_CHANGE_BODY = "Correct the body."
_SEND_PARTS = "Send the document in parts."
_TRY_LATER = "Try again after `Retry-After`."
_NOTHING_TO_DO = "Nothing: what you ask for is so already."
_READ_AGAIN = "Read the thing again; it is not as you think."
_OPERATOR = "Have the operator read the log."

ERROR_CODES: Final[tuple[ErrorCode, ...]] = (
    # What cannot be read as a request.
    ErrorCode("bad_request", 400, "The request cannot be accepted.", "Read `detail`."),
    ErrorCode("malformed_body", 400, "The body is not UTF-8, or not the form that it says.", _CHANGE_BODY),
    ErrorCode(
        "malformed_request", 400, "It is no valid HTTP, or could be read in two ways.", "Mend the client."
    ),
    ErrorCode(
        "method_not_allowed", 405, "The address does not take that method.", "Read the header `Allow`."
    ),
    ErrorCode("request_timeout", 408, "The head or the body came too slowly.", "Send it again, faster."),
    ErrorCode("payload_too_large", 413, "The body or file is over its limit.", "Send less at once."),
    ErrorCode(
        "unsupported_format",
        415,
        "Neither JSON nor a form, or a file of no format that can be read.",
        "Read docs/formats.md.",
    ),
    ErrorCode("headers_too_large", 431, "The headers are too many or too long.", "Send fewer."),
    # Who asks, and for what.
    ErrorCode("unauthenticated", 401, "No valid API key came along.", "Send `Authorization: Bearer cg_…`."),
    ErrorCode("not_signed_in", 401, "The page needs somebody signed in.", "Sign in."),
    ErrorCode(
        "sign_in_refused", 401, "E-mail address or password is wrong.", "Try again, or have a link made."
    ),
    ErrorCode(
        "scope_missing", 403, "The key lacks a scope.", "Take a key with the scope that `detail` names."
    ),
    ErrorCode("forged_request", 403, "A form came without its token.", "Load the page again."),
    ErrorCode(
        "not_found",
        404,
        "Nothing of that id within the key's reach, whether it never existed or is another's.",
        "Look for it by a list.",
    ),
    # The state of the thing forbids it.
    ErrorCode("conflict", 409, "Something of that name exists, or what it refers to has gone.", _READ_AGAIN),
    ErrorCode("already_ended", 409, "The value was ended before.", "Restore it first."),
    ErrorCode("already_invalidated", 409, "The edge was ended before.", "Restore it first."),
    ErrorCode("already_undone", 409, "The merge or split is undone.", _NOTHING_TO_DO),
    ErrorCode(
        "answer_not_kept",
        409,
        "A request of this Idempotency-Key was carried out, and its answer was too large to keep.",
        "Read what it made.",
    ),
    ErrorCode("delivery_pending", 409, "The message waits to be sent.", _NOTHING_TO_DO),
    ErrorCode("document_not_failed", 409, "Nothing of the document is unread.", _NOTHING_TO_DO),
    ErrorCode("document_not_read", 409, "The document has no text yet.", "Wait for its job."),
    ErrorCode(
        "embedding_behind",
        409,
        "More comes into the space than its new model embeds.",
        "Try when less comes.",
    ),
    ErrorCode(
        "embedding_change_running", 409, "The space is being changed to a model.", "Wait for that job."
    ),
    ErrorCode("embedding_overtaken", 409, "The space has changed to another model since.", _READ_AGAIN),
    ErrorCode("embedding_unchanged", 409, "The space has that model.", _NOTHING_TO_DO),
    ErrorCode("examination_running", 409, "The walls are being examined.", "Wait for its end."),
    ErrorCode(
        "idempotency_key_reused", 409, "The key came with another request.", "Take a new key for each."
    ),
    ErrorCode(
        "is_denial", 409, "The edge denies a value: it cannot hold.", "Uphold an edge that states one."
    ),
    ErrorCode("job_ended", 409, "The job has ended.", _NOTHING_TO_DO),
    ErrorCode("job_not_retryable", 409, "The job has left nothing to try again.", _NOTHING_TO_DO),
    ErrorCode("last_admin", 409, "A tenant keeps an admin.", "Make another account an admin first."),
    ErrorCode(
        "less_trusted", 409, "The document is trusted more than who would change it.", "Delete it first."
    ),
    ErrorCode(
        "merged_again", 409, "A node of it was merged later.", "Undo the merge that `detail` names first."
    ),
    ErrorCode("name_taken", 409, "Another has this name.", "Take another name, or merge the two."),
    ErrorCode("needs_communities", 409, "The space has no communities.", "Detect them first."),
    ErrorCode("no_eviction_policy", 409, "The space gives nothing up.", "Set `eviction` first."),
    ErrorCode("no_given_name", 409, "Nobody gave the node a name.", _NOTHING_TO_DO),
    ErrorCode("no_model", 409, "No model is set up.", "Ask for what rules can do."),
    ErrorCode("node_gone", 409, "A node of the split does not exist any more.", _READ_AGAIN),
    ErrorCode("not_ended", 409, "The value stands.", _NOTHING_TO_DO),
    ErrorCode("not_invalidated", 409, "The edge holds.", _NOTHING_TO_DO),
    ErrorCode(
        "not_single_valued",
        409,
        "A node may have several values of this relation.",
        "End single edges instead.",
    ),
    ErrorCode("nothing_left", 409, "What named the merged node was deleted.", "Leave it merged."),
    ErrorCode("nothing_to_decide", 409, "No other value stands.", _NOTHING_TO_DO),
    ErrorCode(
        "request_under_way", 409, "The first request of this Idempotency-Key has not ended.", _TRY_LATER
    ),
    ErrorCode("same_address", 409, "Another document has this address.", "Send a new version of that one."),
    ErrorCode("same_content", 409, "Another document has this content.", "Use that one."),
    ErrorCode("same_name", 409, "The node is called so.", _NOTHING_TO_DO),
    ErrorCode("space_not_empty", 409, "The space has documents or nodes.", "Import into a new space."),
    ErrorCode(
        "superseding_off", 409, "The space keeps what later sources contradict.", "Set supersede_by_date."
    ),
    ErrorCode(
        "bad_golden_question", 422, "A golden question is none.", "Give a question, and lists of short texts."
    ),
    ErrorCode("no_golden_question", 422, "The space has no golden question.", "Add some first."),
    ErrorCode("not_evaluated", 409, "The effect on answers is not known.", "Run the questions, or force it."),
    ErrorCode(
        "not_tried_by_questions", 422, "Golden questions do not try this setting.", "Try it by a trial."
    ),
    ErrorCode("run_under_way", 409, "Such a run is under way.", "Wait for it."),
    ErrorCode("too_many_golden_questions", 422, "The space has too many golden questions.", "Remove some."),
    ErrorCode("worse_answers", 409, "Golden questions would be answered worse.", "Leave it, or force it."),
    ErrorCode("trial_running", 409, "Another trial is under way.", "Wait for it, or drop it."),
    ErrorCode("trial_unfinished", 409, "The trial is not read to its end.", "Wait for its job."),
    ErrorCode("webhook_disabled", 409, "The webhook is disabled.", "Enable it first."),
    ErrorCode("webhook_full", 409, "Too many messages wait for it.", "Mend its receiver, then try again."),
    ErrorCode("winner_gone", 409, "The node merged into does not exist any more.", _READ_AGAIN),
    ErrorCode(
        "stale_version", 412, "The thing has changed since you read it.", "Read it again, then decide."
    ),
    # A value of the request cannot be accepted.
    ErrorCode("invalid_input", 422, "A value cannot be accepted.", "Read `errors`."),
    ErrorCode("bad_budget", 422, "A budget is a number of US dollars, 0 or more.", _CHANGE_BODY),
    ErrorCode("bad_day", 422, "A day is written as 2026-01-31.", "Write it so."),
    ErrorCode("bad_email", 422, "That is no e-mail address.", "Correct it."),
    ErrorCode("bad_name", 422, "A name is too long, or has signs alone.", "Choose another."),
    ErrorCode("bad_outcome", 422, "An outcome is done or refused.", "Take one of them."),
    ErrorCode("bad_quota", 422, "A quota is a whole number, 0 or more.", _CHANGE_BODY),
    ErrorCode("bad_relation_type", 422, "A relation type is a verb in lower snake_case.", _CHANGE_BODY),
    ErrorCode("bad_trust", 422, "Trust is a number above 0, up to 1.", _CHANGE_BODY),
    ErrorCode("bad_value", 422, "This is no value of an attribute.", "Take one that the node has."),
    ErrorCode("blank", 422, "A text that is needed is blank.", "Write one."),
    ErrorCode("duplicate_document", 422, "A document is named twice.", _CHANGE_BODY),
    ErrorCode("duplicate_name", 422, "Two files of one form have one name.", "Rename one."),
    ErrorCode("duplicate_parameter", 422, "A parameter or field was given twice.", "Give it once."),
    ErrorCode("duplicate_source_uri", 422, "Two documents of one request have one address.", _CHANGE_BODY),
    ErrorCode(
        "embedding_dimensions", 422, "The model has vectors of another length.", "Leave dimensions out."
    ),
    ErrorCode("empty_list", 422, "At least one node id is needed.", _CHANGE_BODY),
    ErrorCode("empty_name", 422, "A name has no visible character.", "Write one."),
    ErrorCode("estimate_timeout", 422, "The dry run took too long.", "Estimate fewer documents at once."),
    ErrorCode("expires_in_the_past", 422, "A key cannot expire in the past.", "Name a later time."),
    ErrorCode(
        "expires_too_late", 422, "A key cannot outlive the one that makes it.", "Name an earlier time."
    ),
    ErrorCode(
        "if_match_unsupported", 422, "The call changes no single thing that has a version.", "Leave it out."
    ),
    ErrorCode("invalid_address", 422, "A file's path cannot be an address.", "Rename the file."),
    ErrorCode(
        "invalid_arguments", 422, "A tool was called with arguments that it does not take.", "Correct them."
    ),
    ErrorCode("invalid_character", 422, "A text holds characters that are not text.", "Take them out."),
    ErrorCode("invalid_characters", 422, "A text holds characters that no text can have.", "Take them out."),
    ErrorCode("invalid_cursor", 422, "The list did not give this cursor out.", "Begin at the first page."),
    ErrorCode("invalid_id", 422, "An id is a uuid with hyphens.", "Correct it."),
    ErrorCode(
        "invalid_idempotency_key", 422, "The key is not 1 to 255 visible ASCII characters.", "Correct it."
    ),
    ErrorCode("invalid_number", 422, "The body holds a number that is not finite.", _CHANGE_BODY),
    ErrorCode("invalid_time", 422, "A time is ISO 8601 with its zone.", "Write 2026-01-31T12:00:00Z."),
    ErrorCode("invalid_value", 422, "The database cannot store a value.", _CHANGE_BODY),
    ErrorCode("malformed_if_match", 422, "If-Match holds no entity tags.", "Send the `ETag` that you read."),
    ErrorCode("malformed_json", 422, "The body is not valid JSON.", _CHANGE_BODY),
    ErrorCode("mentions_nothing", 422, "Nothing of what you named mentions the node.", "Name what does."),
    ErrorCode(
        "model_not_offered",
        422,
        "This installation does not offer the model.",
        "Take one that `detail` lists.",
    ),
    ErrorCode("naive_time", 422, "A time says no zone.", "Add Z or an offset."),
    ErrorCode("no_document_accepted", 422, "None of the documents can be accepted.", "Read `errors`."),
    ErrorCode("no_file", 422, "The form holds no file, or not one.", "Send one."),
    ErrorCode("not_a_pack", 422, "The file is no pack of questions.", "Read docs/quality.md."),
    ErrorCode("not_triable", 422, "A trial cannot change that setting.", "Take those that `detail` lists."),
    ErrorCode("nothing_to_try", 422, "The trial would read as the space does.", "Name what is to be other."),
    ErrorCode("nothing_would_stay", 422, "The split would take every mention.", "Leave some out."),
    ErrorCode("one_address_each", 422, "There are not as many addresses as files.", "Give one for each."),
    ErrorCode("one_document_only", 422, "A version is one document.", "Send one."),
    ErrorCode("one_file_only", 422, "A title or an address is of one file.", "Send the files one by one."),
    ErrorCode("password_length", 422, "A password is too short or too long.", "Choose another."),
    ErrorCode(
        "question_or_ends", 422, "Neither a question nor both ends, or all of them.", "Give one of both."
    ),
    ErrorCode("same_node", 422, "Both are one node.", "Name two."),
    ErrorCode("sense_missing", 422, "A split needs a word for which thing it is.", "Write one."),
    ErrorCode("time_to_come", 422, "The time lies in the future.", "Name one that has been."),
    ErrorCode("too_deep", 422, "The body or document is nested too deep.", "Flatten it."),
    ErrorCode("too_long", 422, "A text is longer than it may be.", "Shorten it."),
    ErrorCode("too_many_keys", 422, "The body has too many keys.", "Send less at once."),
    ErrorCode("too_many_marks", 422, "Too many combining marks stand in a row.", "Take them out."),
    ErrorCode("too_many_mentions", 422, "One split cannot move so many mentions.", "Split in parts."),
    ErrorCode("too_many_tags", 422, "Too many tags were given to choose from.", "Give fewer."),
    ErrorCode("too_many_turns", 422, "Too many earlier turns were sent.", "Send the last ones."),
    ErrorCode("too_many_values", 422, "The body or document holds too many values.", "Send it in parts."),
    ErrorCode("trial_size", 422, "A trial cannot read so many chunks.", "Ask for fewer."),
    ErrorCode(
        "unknown_embedding", 422, "There is no such embedding to measure.", "Take one that `detail` lists."
    ),
    ErrorCode("unknown_event", 422, "A webhook has no such event.", "Take those that `detail` lists."),
    ErrorCode("unknown_parameter", 422, "The call does not take that parameter.", "Leave it out."),
    ErrorCode("unknown_quota", 422, "There is no such quota.", "Take those that `detail` lists."),
    ErrorCode(
        "unknown_scope", 422, "There is no such scope, or none was given.", "Take those that `detail` lists."
    ),
    ErrorCode(
        "unknown_set", 422, "The pack has no such set, or it has no questions.", "Take one that it has."
    ),
    ErrorCode("unreadable_pack", 422, "The file of a pack cannot be read.", "Check its path."),
    ErrorCode("webhook_address_refused", 422, "It is no public https address.", "Give one."),
    _range("chunk_ids", "Too many chunks were named."),
    _range("depth", "A neighbourhood cannot be so deep."),
    _range("edge_ids", "Too many edges were named."),
    _range("fan_out", "So many edges of a node cannot be followed."),
    _range("limit", "A list cannot be so long."),
    _range("max_edges", "A subgraph cannot have so many edges."),
    _range("max_hops", "A path cannot be so long."),
    _range("max_nodes", "A subgraph cannot have so many nodes."),
    _range("min_confidence", "A confidence is from 0 to 1."),
    _range("min_score", "A score is from 0 to 1."),
    _range("node_ids", "Too many nodes were named, or none."),
    _range("opened", "Too many nodes are open in a picture."),
    _range("shown", "Too many nodes are shown in a picture."),
    _range("top_k", "So many passages cannot be returned."),
    _range("words", "A search cannot have so many words."),
    # A document or an export cannot be read.
    ErrorCode("archive_bomb", 422, "The archive would unpack to more than it may.", "Send its files."),
    ErrorCode("archive_refused", 422, "The document's zip container is damaged or hostile.", "Save it anew."),
    ErrorCode("damaged_document", 422, "The file is broken.", "Save it anew."),
    ErrorCode("document_too_large", 422, "The document holds too much text.", _SEND_PARTS),
    ErrorCode(
        "empty_document", 422, "The document holds no readable text.", "Run text recognition over a scan."
    ),
    ErrorCode("encrypted_document", 422, "The document is encrypted.", "Send it without a password."),
    ErrorCode("entities_refused", 422, "The XML declares a document type or entities.", "Take them out."),
    ErrorCode("parse_timeout", 422, "The document could not be read in time.", _SEND_PARTS),
    ErrorCode("too_large_to_parse", 422, "The document needs more memory than one may take.", _SEND_PARTS),
    ErrorCode("too_many_chunks", 422, "The document would have too many chunks.", _SEND_PARTS),
    ErrorCode("too_many_nodes", 422, "The document names too many things.", _SEND_PARTS),
    ErrorCode("too_many_pages", 422, "The document has too many pages.", _SEND_PARTS),
    ErrorCode("too_many_rows", 422, "The document has too many rows.", _SEND_PARTS),
    ErrorCode("unreadable_document", 422, "The parser failed on the document.", "Save it in another format."),
    ErrorCode("import_bad_line", 422, "A line is no row of an export.", "Export anew."),
    ErrorCode("import_chunk_mismatch", 422, "Two chunks of a document say different things.", "Export anew."),
    ErrorCode("import_incomplete", 422, "The file has no end.", "Export anew, and wait for its end."),
    ErrorCode("import_ledger_mismatch", 422, "Edges ended otherwise than the ledger says.", "Export anew."),
    ErrorCode(
        "import_out_of_order", 422, "A row stands before what it refers to.", "Leave the file as it was."
    ),
    ErrorCode("import_quote_mismatch", 422, "A quote is not what its chunk says.", "Export anew."),
    ErrorCode("import_repeated_row", 422, "A row stands twice.", "Leave the file as it was."),
    ErrorCode("import_too_large", 422, "The file has too many rows or too much text.", "Import it in parts."),
    ErrorCode("import_unknown_id", 422, "A row refers to one that is not there.", "Export anew."),
    # Too much at once.
    ErrorCode("too_many_requests", 429, "As many requests are under way as may be.", _TRY_LATER),
    ErrorCode("rate_limited", 429, "The key or tenant asks too often.", _TRY_LATER),
    ErrorCode(
        "quota_exceeded", 429, "The tenant has as much as it may.", "Delete some, or have `quota` raised."
    ),
    ErrorCode("too_many_estimates", 429, "As many dry runs are under way as may be.", _TRY_LATER),
    ErrorCode("too_many_exports", 429, "As many exports are under way as may be.", _TRY_LATER),
    ErrorCode("too_many_failures", 429, "Too many sign-ins failed.", _TRY_LATER),
    ErrorCode("too_many_jobs", 429, "As many jobs wait as may.", "Wait until some have run."),
    ErrorCode("too_many_questions", 429, "As many questions are being answered as may be.", _TRY_LATER),
    ErrorCode("too_many_streams", 429, "As many streams are open as may be.", "Close one."),
    ErrorCode("too_many_uploads", 429, "As many submissions are being received as may be.", _TRY_LATER),
    ErrorCode("too_many_without_key", 429, "The address asks too often without a valid key.", _TRY_LATER),
    # A model does not do what it should.
    ErrorCode("model_refused", 424, "The model server refuses the call.", "Have the operator check it."),
    ErrorCode(
        "model_dimensions", 424, "The embedding model has vectors of another length.", "Set its length."
    ),
    ErrorCode("model_key_refused", 424, "The model server refuses the key.", "Set OPENAI_API_KEY."),
    ErrorCode(
        "model_unknown", 424, "The model server knows no such model or path.", "Set model and address."
    ),
    ErrorCode(
        "price_unknown", 424, "A budget is set and the model has no price.", "Set CITEGRAPH_LLM_PRICES."
    ),
    ErrorCode("request_not_recorded", 424, "The replayed conversation lacks this request.", "Record it."),
    ErrorCode("bad_vector", 502, "The embedding model gave no usable vector.", "Try again, or take another."),
    ErrorCode("malformed_reply", 502, "The model's answer could not be used.", "Try again, or take another."),
    ErrorCode("too_few_vectors", 502, "The embedding model left out too many texts.", "Take another model."),
    ErrorCode(
        "budget_exhausted", 503, "The month's budget is used up.", "Raise it, or wait for the next month."
    ),
    ErrorCode(
        "embedder_missing", 503, "The space's embedding model is not here.", "Install it, or set its server."
    ),
    ErrorCode("model_parked", 503, "The model is not asked for now.", "Wait: the job goes on later."),
    ErrorCode(
        "model_rate_limited", 503, "The model's server limits the rate.", "Wait: the job goes on later."
    ),
    ErrorCode("model_unavailable", 503, "The model could not be reached.", _TRY_LATER),
    # The service is busy, down or set up wrongly.
    ErrorCode("unavailable", 503, "A part that the call needs is down.", _TRY_LATER),
    ErrorCode("busy", 503, "The process or the database is full.", _TRY_LATER),
    ErrorCode("database_busy", 503, "The database is busy.", _TRY_LATER),
    ErrorCode("database_unavailable", 503, "The database cannot be reached.", _TRY_LATER),
    ErrorCode("not_migrated", 503, "The database has another version's schema.", "Run `citegraph migrate`."),
    ErrorCode("too_slow", 503, "The database took too long.", "Ask for less."),
    ErrorCode(
        "unsafe_login", 503, "The database login can go round row security.", "Log in as the application."
    ),
    ErrorCode(
        "configuration", 500, "The installation is not set up in a way that can run.", "Read `detail`."
    ),
    ErrorCode("internal_error", 500, "Nobody foresaw this.", _OPERATOR),
    ErrorCode("no_psql_login", 500, "Nobody can be held to one space here.", "Do what `detail` says."),
    ErrorCode(
        "pooled_migration", 500, "The address leads through a pooler.", "Give the server's own address."
    ),
    ErrorCode("privileged_login", 500, "The login may bypass row security.", "Log in as the application."),
    # Told of a job, a document or a chunk.
    ErrorCode("chunk_crashed", None, "Reading the chunk ended its process.", _OPERATOR),
    ErrorCode(
        "chunk_out_of_memory", None, "Reading the chunk needs more memory than it may take.", _OPERATOR
    ),
    ErrorCode("chunk_timeout", None, "Reading the chunk took too long.", "Raise CITEGRAPH_CHUNK_SECONDS."),
    ErrorCode("document_too_slow", None, "Other chunks of the document took its time in vain.", _SEND_PARTS),
    ErrorCode("unreadable_chunk", None, "Reading the chunk failed by a fault of ours.", _OPERATOR),
    ErrorCode("database_error", None, "The database refused a statement of the job.", _OPERATOR),
    ErrorCode(
        "left_out", None, "A part of the document was not read; `reason` says which.", "Read the reason."
    ),
    ErrorCode("names_only", None, "Rules read names in this language and no relations.", "Set up a model."),
    ErrorCode("other_language", None, "Rules do not read the language.", "Set up a model."),
    ErrorCode("out_of_memory", None, "The job needs more memory than a worker may take.", _SEND_PARTS),
    ErrorCode("overtaken", None, "Something was deleted while it was read.", "Wait: it is tried again."),
    ErrorCode("poison", None, "Workers died on it repeatedly.", "Send it in another format, or in parts."),
)

BY_CODE: Final = {entry.code: entry for entry in ERROR_CODES}


def status_of(code: str) -> int | None:
    """The HTTP status of a failure with this code; None for one that is not here, or answers no request."""
    entry = BY_CODE.get(code)
    return None if entry is None else entry.status


def answered_codes() -> list[str]:
    """The codes that an answer to a request may have, in order."""
    return sorted(entry.code for entry in ERROR_CODES if entry.status is not None)


def error_codes_table() -> str:
    """Every code with its status, meaning and what to do, as a Markdown table for the documentation."""
    rows = [
        f"| `{entry.code}` | {entry.status or 'job'} | {entry.meaning} | {entry.action} |"
        for entry in sorted(ERROR_CODES, key=lambda entry: (entry.status or 999, entry.code))
    ]
    return "\n".join(["| code | status | what it means | what to do |", "| --- | --- | --- | --- |", *rows])
