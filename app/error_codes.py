"""Every error code, once: its HTTP status, what it means, and what to do about it.

An exception is raised with one of these codes. Its HTTP status, the enumeration of the OpenAPI document, the
client's type and docs/errors.md are derived from the entry.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code for programs. `status` is None if it never answers a request, but only describes a job, document
    or chunk.
    """

    code: str
    status: int | None
    meaning: str
    action: str


def _build_out_of_range_code(name: str, meaning: str) -> ErrorCode:
    """Return the entry for a number outside its bounds."""
    return ErrorCode(f"{name}_out_of_range", 422, meaning, "Stay within the bounds that `detail` names.")


_CHANGE_BODY = "Correct the body."
_SEND_PARTS = "Send the document in parts."
_TRY_LATER = "Try again after `Retry-After`."
_NO_REMEDY_NEEDED = "Nothing: the requested state is already reached."
_READ_AGAIN = "Read the resource again; it has changed."
_OPERATOR = "Ask the operator to look in the log."

ERROR_CODES: Final[tuple[ErrorCode, ...]] = (
    # What cannot be read as a request.
    ErrorCode("bad_request", 400, "The request cannot be accepted.", "Read `detail`."),
    ErrorCode(
        "malformed_body", 400, "The body is not UTF-8, or does not match its content type.", _CHANGE_BODY
    ),
    ErrorCode(
        "malformed_request", 400, "The request is not valid HTTP, or is ambiguous.", "Correct the client."
    ),
    ErrorCode("method_not_allowed", 405, "The path does not support this method.", "See the `Allow` header."),
    ErrorCode(
        "request_timeout",
        408,
        "The headers or the body arrived too slowly.",
        "Send the request again, faster.",
    ),
    ErrorCode("payload_too_large", 413, "The body or file exceeds its size limit.", "Send less at once."),
    ErrorCode(
        "unsupported_format",
        415,
        "The body is neither JSON nor a form, or the file has an unsupported format.",
        "See docs/formats.md.",
    ),
    ErrorCode(
        "headers_too_large", 431, "The headers are too many or too long.", "Send fewer or shorter headers."
    ),
    # Who asks, and for what.
    ErrorCode(
        "unauthenticated", 401, "The request has no valid API key.", "Send `Authorization: Bearer cg_…`."
    ),
    ErrorCode("not_signed_in", 401, "The page requires a signed-in user.", "Sign in."),
    ErrorCode(
        "sign_in_refused",
        401,
        "E-mail address or password is wrong.",
        "Try again, or ask an admin for a new link.",
    ),
    ErrorCode(
        "scope_missing", 403, "The key lacks a scope.", "Use a key with the scope that `detail` names."
    ),
    ErrorCode("forged_request", 403, "The form has no valid CSRF token.", "Reload the page."),
    ErrorCode(
        "not_found",
        404,
        "There is nothing with this id, or the key may not see it.",
        "List the resources to find its id.",
    ),
    # The state of the thing forbids it.
    ErrorCode(
        "conflict",
        409,
        "The name is in use, or something that the request refers to no longer exists.",
        _READ_AGAIN,
    ),
    ErrorCode("already_ended", 409, "The value has already been ended.", "Restore it first."),
    ErrorCode("already_invalidated", 409, "The edge has already been ended.", "Restore it first."),
    ErrorCode("already_undone", 409, "The merge or split has already been undone.", _NO_REMEDY_NEEDED),
    ErrorCode(
        "answer_not_kept",
        409,
        "A request with this Idempotency-Key was completed, but its answer was too large to store.",
        "Read the resource that it created or changed.",
    ),
    ErrorCode("delivery_pending", 409, "The message is already waiting for delivery.", _NO_REMEDY_NEEDED),
    ErrorCode("document_not_failed", 409, "No part of the document is unread.", _NO_REMEDY_NEEDED),
    ErrorCode("document_not_read", 409, "The document has no text yet.", "Wait for its job to finish."),
    ErrorCode(
        "embedding_behind",
        409,
        "Chunks arrive faster than the new model embeds them.",
        "Try again when fewer documents arrive.",
    ),
    ErrorCode(
        "embedding_change_running",
        409,
        "The embedding model of the space is being changed.",
        "Wait for that job to finish.",
    ),
    ErrorCode("embedding_overtaken", 409, "The space has changed to another model meanwhile.", _READ_AGAIN),
    ErrorCode("embedding_unchanged", 409, "The space already uses this model.", _NO_REMEDY_NEEDED),
    ErrorCode("examination_running", 409, "An examination is already running.", "Wait for it to finish."),
    ErrorCode(
        "idempotency_key_reused",
        409,
        "The Idempotency-Key was used for a different request.",
        "Use a new key for each request.",
    ),
    ErrorCode(
        "is_denial",
        409,
        "The edge denies a value, so it cannot be upheld.",
        "Uphold an edge that states a value.",
    ),
    ErrorCode("job_ended", 409, "The job has already ended.", _NO_REMEDY_NEEDED),
    ErrorCode("job_not_retryable", 409, "The job has nothing left to retry.", _NO_REMEDY_NEEDED),
    ErrorCode(
        "last_admin", 409, "A tenant must have at least one admin.", "Make another account an admin first."
    ),
    ErrorCode(
        "less_trusted",
        409,
        "The existing document is trusted more than the new source.",
        "Delete the document first.",
    ),
    ErrorCode(
        "merged_again",
        409,
        "One of its nodes was merged again later.",
        "Undo the merge that `detail` names first.",
    ),
    ErrorCode("name_taken", 409, "Another resource has this name.", "Choose another name, or merge the two."),
    ErrorCode("needs_communities", 409, "The space has no communities yet.", "Detect them first."),
    ErrorCode("no_eviction_policy", 409, "The space has no eviction policy.", "Set `eviction` first."),
    ErrorCode("no_given_name", 409, "The node has no user-given name.", _NO_REMEDY_NEEDED),
    ErrorCode("no_model", 409, "No model is configured.", "Use the rules, or configure a model."),
    ErrorCode("node_gone", 409, "A node of the split no longer exists.", _READ_AGAIN),
    ErrorCode("not_ended", 409, "The value has not been ended.", _NO_REMEDY_NEEDED),
    ErrorCode("not_invalidated", 409, "The edge has not been ended.", _NO_REMEDY_NEEDED),
    ErrorCode(
        "not_single_valued",
        409,
        "This relation allows several values for a node.",
        "End single edges instead.",
    ),
    ErrorCode(
        "nothing_left",
        409,
        "Everything that mentioned one of the two merged nodes has been deleted; the message says which.",
        "Leave the nodes merged.",
    ),
    ErrorCode("nothing_to_decide", 409, "There is no competing value.", _NO_REMEDY_NEEDED),
    ErrorCode(
        "request_under_way", 409, "The first request with this Idempotency-Key is still running.", _TRY_LATER
    ),
    ErrorCode(
        "same_address", 409, "Another document has this address.", "Send a new version of that document."
    ),
    ErrorCode("same_content", 409, "Another document has the same content.", "Use that document."),
    ErrorCode("same_name", 409, "The node already has this name.", _NO_REMEDY_NEEDED),
    ErrorCode(
        "space_not_empty", 409, "The space already has documents or nodes.", "Import into a new space."
    ),
    ErrorCode(
        "superseding_off",
        409,
        "The space does not let later sources supersede earlier ones.",
        "Set `supersede_by_date`.",
    ),
    ErrorCode(
        "bad_golden_question",
        422,
        "A golden question is not valid.",
        "Give a question and lists of short texts.",
    ),
    ErrorCode("no_golden_question", 422, "The space has no golden questions.", "Add some first."),
    ErrorCode(
        "not_evaluated",
        409,
        "The effect on the golden questions has not been measured.",
        "Run the golden questions, or force the change.",
    ),
    ErrorCode("not_tried_by_questions", 422, "Golden questions cannot measure this setting.", "Use a trial."),
    ErrorCode("reread_running", 409, "Documents are being read again.", "Wait for the job, or cancel it."),
    ErrorCode("run_under_way", 409, "A run is already in progress.", "Wait for it to finish."),
    ErrorCode("too_many_golden_questions", 422, "The space has too many golden questions.", "Remove some."),
    ErrorCode(
        "worse_answers",
        409,
        "Some golden questions would be answered worse.",
        "Keep the setting, or force the change.",
    ),
    ErrorCode("trial_running", 409, "Another trial is running.", "Wait for it, or drop it."),
    ErrorCode("trial_unfinished", 409, "The trial has not finished.", "Wait for its job."),
    ErrorCode("webhook_disabled", 409, "The webhook is disabled.", "Enable it first."),
    ErrorCode(
        "webhook_full",
        409,
        "Too many messages are waiting for this webhook.",
        "Repair the receiver, then try again.",
    ),
    ErrorCode("winner_gone", 409, "The node that remained after the merge no longer exists.", _READ_AGAIN),
    ErrorCode(
        "stale_version", 412, "The resource has changed since you read it.", "Read it again, then decide."
    ),
    # A value of the request cannot be accepted.
    ErrorCode("invalid_input", 422, "A value is not valid.", "See `errors`."),
    ErrorCode("bad_budget", 422, "A budget must be an amount in US dollars, 0 or more.", _CHANGE_BODY),
    ErrorCode("bad_day", 422, "A date must have the form 2026-01-31.", "Correct it."),
    ErrorCode("bad_email", 422, "The e-mail address is not valid.", "Correct it."),
    ErrorCode("bad_name", 422, "The name is too long, or has no letter or digit.", "Choose another name."),
    ErrorCode("bad_outcome", 422, "The outcome must be done or refused.", "Use one of them."),
    ErrorCode("bad_quota", 422, "A quota must be a whole number, 0 or more.", _CHANGE_BODY),
    ErrorCode("bad_relation_type", 422, "A relation type must be a verb in lower snake_case.", _CHANGE_BODY),
    ErrorCode("bad_trust", 422, "Trust must be a number above 0 and at most 1.", _CHANGE_BODY),
    ErrorCode("bad_value", 422, "The node has no such attribute value.", "Choose one that the node has."),
    ErrorCode("blank", 422, "A required text is blank.", "Provide a text."),
    ErrorCode("duplicate_document", 422, "The same document is listed twice.", _CHANGE_BODY),
    ErrorCode("duplicate_name", 422, "Two files in one form have the same name.", "Rename one."),
    ErrorCode("duplicate_parameter", 422, "A parameter or field was given twice.", "Send it once."),
    ErrorCode(
        "duplicate_source_uri", 422, "Two documents in one request have the same address.", _CHANGE_BODY
    ),
    ErrorCode(
        "embedding_dimensions", 422, "The model produces vectors of another length.", "Omit `dimensions`."
    ),
    ErrorCode("empty_list", 422, "At least one node id is required.", _CHANGE_BODY),
    ErrorCode("empty_name", 422, "The name has no visible character.", "Provide a name."),
    ErrorCode("estimate_timeout", 422, "The dry run took too long.", "Estimate fewer documents at a time."),
    ErrorCode("expires_in_the_past", 422, "The expiry time is in the past.", "Choose a later time."),
    ErrorCode(
        "expires_too_late",
        422,
        "A key cannot expire later than the key that creates it.",
        "Choose an earlier time.",
    ),
    ErrorCode(
        "if_match_unsupported",
        422,
        "This call does not change a single resource with a version.",
        "Omit `If-Match`.",
    ),
    ErrorCode("invalid_address", 422, "The file's path cannot be used as an address.", "Rename the file."),
    ErrorCode("invalid_arguments", 422, "The tool does not accept these arguments.", "Correct them."),
    ErrorCode("invalid_character", 422, "A text contains characters that are not allowed.", "Remove them."),
    ErrorCode(
        "invalid_characters",
        422,
        "A text contains characters that are not valid Unicode text.",
        "Remove them.",
    ),
    ErrorCode(
        "invalid_cursor", 422, "The cursor does not belong to this list.", "Start with the first page."
    ),
    ErrorCode("invalid_id", 422, "The id is not a UUID with hyphens.", "Correct it."),
    ErrorCode(
        "invalid_idempotency_key",
        422,
        "The Idempotency-Key is not 1 to 255 visible ASCII characters.",
        "Correct it.",
    ),
    ErrorCode("invalid_number", 422, "The body contains a number that is not finite.", _CHANGE_BODY),
    ErrorCode(
        "invalid_time", 422, "A time must be ISO 8601 with a time zone.", "Use the form 2026-01-31T12:00:00Z."
    ),
    ErrorCode("invalid_value", 422, "The database cannot store a value.", _CHANGE_BODY),
    ErrorCode(
        "malformed_if_match", 422, "`If-Match` contains no entity tag.", "Send the `ETag` that you received."
    ),
    ErrorCode("malformed_json", 422, "The body is not valid JSON.", _CHANGE_BODY),
    ErrorCode(
        "mentions_nothing",
        422,
        "None of the given mentions belongs to the node.",
        "Give mentions of the node.",
    ),
    ErrorCode(
        "model_not_offered",
        422,
        "This installation does not offer the model.",
        "Choose one that `detail` lists.",
    ),
    ErrorCode("naive_time", 422, "The time has no time zone.", "Add `Z` or an offset."),
    ErrorCode("no_document_accepted", 422, "None of the documents was accepted.", "See `errors`."),
    ErrorCode("no_file", 422, "The form must contain exactly one file.", "Send one file."),
    ErrorCode("not_a_pack", 422, "The file is not an evaluation pack.", "See docs/quality.md."),
    ErrorCode("not_triable", 422, "A trial cannot change this setting.", "Choose one that `detail` lists."),
    ErrorCode(
        "nothing_to_try",
        422,
        "The trial has the same settings as the space.",
        "Change the model, the prompt or a setting.",
    ),
    ErrorCode(
        "nothing_would_stay", 422, "The split would move every mention.", "Leave at least one mention."
    ),
    ErrorCode(
        "one_address_each",
        422,
        "The number of addresses differs from the number of files.",
        "Give one address for each file.",
    ),
    ErrorCode("one_document_only", 422, "A new version must be a single document.", "Send one document."),
    ErrorCode(
        "one_file_only", 422, "A title or an address applies to a single file.", "Send the files one by one."
    ),
    ErrorCode("password_length", 422, "A password is too short or too long.", "Choose another password."),
    ErrorCode(
        "question_or_ends", 422, "Give either a question, or both `from` and `to`.", "Correct the request."
    ),
    ErrorCode("same_node", 422, "Both ids are the same node.", "Give two different nodes."),
    ErrorCode(
        "sense_missing", 422, "A split needs a qualifier that tells the two nodes apart.", "Provide one."
    ),
    ErrorCode("time_to_come", 422, "The time is in the future.", "Choose a past time."),
    ErrorCode("too_deep", 422, "The body or document is nested too deeply.", "Flatten it."),
    ErrorCode("too_long", 422, "A text exceeds its maximum length.", "Shorten it."),
    ErrorCode("too_many_keys", 422, "The body has too many keys.", "Send less at once."),
    ErrorCode("too_many_marks", 422, "A text has too many combining marks in a row.", "Remove them."),
    ErrorCode(
        "too_many_mentions",
        422,
        "The split would move more mentions than allowed at once.",
        "Split in several steps.",
    ),
    ErrorCode("too_many_tags", 422, "There are too many tags to choose from.", "Send fewer."),
    ErrorCode(
        "too_many_turns", 422, "The conversation has too many earlier turns.", "Send only the last ones."
    ),
    ErrorCode("too_many_values", 422, "The body or document contains too many values.", "Send it in parts."),
    ErrorCode("trial_size", 422, "The trial would read more chunks than allowed.", "Choose fewer chunks."),
    ErrorCode(
        "unknown_embedding", 422, "There is no such embedding to measure.", "Choose one that `detail` lists."
    ),
    ErrorCode(
        "unknown_event", 422, "There is no such webhook event.", "Choose from those that `detail` lists."
    ),
    ErrorCode("unknown_parameter", 422, "The call does not have this parameter.", "Omit it."),
    ErrorCode("unknown_quota", 422, "There is no such quota.", "Choose from those that `detail` lists."),
    ErrorCode(
        "unknown_scope",
        422,
        "There is no such scope, or no scope was given.",
        "Choose from those that `detail` lists.",
    ),
    ErrorCode(
        "unknown_set",
        422,
        "The pack has no such set, or the set has no questions.",
        "Choose a set that the pack has.",
    ),
    ErrorCode("unreadable_pack", 422, "The pack file cannot be read.", "Check its path."),
    ErrorCode(
        "webhook_address_refused", 422, "The URL is not a public https address.", "Give a public https URL."
    ),
    _build_out_of_range_code("chunk_ids", "Too many chunk ids."),
    _build_out_of_range_code("depth", "The depth is out of range."),
    _build_out_of_range_code("edge_ids", "Too many edge ids."),
    _build_out_of_range_code("fan_out", "The number of edges followed from a node is out of range."),
    _build_out_of_range_code("limit", "The list limit is out of range."),
    _build_out_of_range_code("max_edges", "The maximum number of edges is out of range."),
    _build_out_of_range_code("max_hops", "The maximum path length is out of range."),
    _build_out_of_range_code("max_nodes", "The maximum number of nodes is out of range."),
    _build_out_of_range_code("min_confidence", "The confidence must be from 0 to 1."),
    _build_out_of_range_code("min_score", "The score must be from 0 to 1."),
    _build_out_of_range_code("node_ids", "Too many node ids, or none."),
    _build_out_of_range_code("opened", "Too many nodes are expanded in a picture."),
    _build_out_of_range_code("shown", "Too many nodes are shown in a picture."),
    _build_out_of_range_code("top_k", "The number of passages is out of range."),
    _build_out_of_range_code("words", "The search has too many words."),
    # A document or an export cannot be read.
    ErrorCode(
        "archive_bomb",
        422,
        "The files of the archive or mail exceed the limits in all.",
        "Send its files without the archive.",
    ),
    ErrorCode("archive_refused", 422, "The zip container is damaged or unsafe.", "Save the document again."),
    ErrorCode("damaged_document", 422, "The file is damaged.", "Save it again."),
    ErrorCode(
        "symbolic_link", 422, "An entry of an archive is a symbolic link.", "Put the file itself into it."
    ),
    ErrorCode("document_too_large", 422, "The document has too much text.", _SEND_PARTS),
    ErrorCode("empty_document", 422, "The document has no readable text.", "Run OCR if it is a scan."),
    ErrorCode("encrypted_document", 422, "The document is encrypted.", "Remove the password."),
    ErrorCode(
        "entities_refused", 422, "The XML declares a document type or entities.", "Remove the declaration."
    ),
    ErrorCode("parse_timeout", 422, "Parsing the document took too long.", _SEND_PARTS),
    ErrorCode("too_large_to_parse", 422, "Parsing the document needs more memory than allowed.", _SEND_PARTS),
    ErrorCode("too_many_chunks", 422, "The document would have too many chunks.", _SEND_PARTS),
    ErrorCode("too_many_nodes", 422, "The document has too many names.", _SEND_PARTS),
    ErrorCode("too_many_pages", 422, "The document has too many pages.", _SEND_PARTS),
    ErrorCode("too_many_rows", 422, "The document has too many rows.", _SEND_PARTS),
    ErrorCode("unreadable_document", 422, "The parser failed on the document.", "Save it in another format."),
    ErrorCode("import_bad_line", 422, "A line is not a row of an export.", "Export again."),
    ErrorCode(
        "import_chunk_mismatch", 422, "Two chunks of a document contradict each other.", "Export again."
    ),
    ErrorCode(
        "import_incomplete",
        422,
        "The file has no end marker.",
        "Export again, and wait until the export is complete.",
    ),
    ErrorCode("import_ledger_mismatch", 422, "The ended edges do not match the ledger.", "Export again."),
    ErrorCode(
        "import_out_of_order",
        422,
        "A row precedes a row that it refers to.",
        "Use the file as it was exported.",
    ),
    ErrorCode("import_quote_mismatch", 422, "A quote does not match the text of its chunk.", "Export again."),
    ErrorCode("import_repeated_row", 422, "A row occurs twice.", "Use the file as it was exported."),
    ErrorCode("import_too_large", 422, "The file has too many rows or too much text.", "Import it in parts."),
    ErrorCode("import_unknown_id", 422, "A row refers to an id that is not in the file.", "Export again."),
    # Too much at once.
    ErrorCode("too_many_requests", 429, "Too many requests are in progress.", _TRY_LATER),
    ErrorCode("rate_limited", 429, "The key or the tenant exceeds its request rate.", _TRY_LATER),
    ErrorCode(
        "quota_exceeded",
        429,
        "The tenant has reached its quota.",
        "Delete something, or ask for a higher quota.",
    ),
    ErrorCode("too_many_estimates", 429, "Too many dry runs are in progress.", _TRY_LATER),
    ErrorCode("too_many_exports", 429, "Too many exports are in progress.", _TRY_LATER),
    ErrorCode("too_many_failures", 429, "Too many sign-in attempts failed.", _TRY_LATER),
    ErrorCode("too_many_jobs", 429, "Too many jobs are waiting.", "Wait until some have run."),
    ErrorCode("too_many_questions", 429, "Too many questions are being answered.", _TRY_LATER),
    ErrorCode("too_many_streams", 429, "Too many event streams are open.", "Close one."),
    ErrorCode("too_many_uploads", 429, "Too many uploads are in progress.", _TRY_LATER),
    ErrorCode(
        "too_many_without_key", 429, "The address sends too many requests without a valid key.", _TRY_LATER
    ),
    # A model does not do what it should.
    ErrorCode(
        "model_refused",
        424,
        "The model server refuses the request.",
        "Ask the operator to check the model server.",
    ),
    ErrorCode(
        "model_dimensions",
        424,
        "The embedding model produces vectors of another length.",
        "Set its dimensions.",
    ),
    ErrorCode("model_key_refused", 424, "The model server refuses its API key.", "Set OPENAI_API_KEY."),
    ErrorCode(
        "model_unknown",
        424,
        "The model server has no such model or path.",
        "Correct the model name or address.",
    ),
    ErrorCode(
        "price_unknown",
        424,
        "A budget is set, but the price of the model is unknown.",
        "Set CITEGRAPH_LLM_PRICES.",
    ),
    ErrorCode(
        "request_not_recorded", 424, "The replayed recording does not contain this request.", "Record it."
    ),
    ErrorCode(
        "bad_vector",
        502,
        "The embedding model returned no usable vector.",
        "Try again, or use another model.",
    ),
    ErrorCode(
        "malformed_reply", 502, "The model's answer could not be used.", "Try again, or use another model."
    ),
    ErrorCode("too_few_vectors", 502, "The embedding model returned too few vectors.", "Use another model."),
    ErrorCode(
        "budget_exhausted", 503, "This month's budget is used up.", "Raise it, or wait for the next month."
    ),
    ErrorCode(
        "embedder_missing",
        503,
        "The space's embedding model is not available.",
        "Install it, or configure its server.",
    ),
    ErrorCode(
        "model_parked",
        503,
        "The model is unavailable and not called for now.",
        "Wait: the job continues by itself.",
    ),
    ErrorCode(
        "model_rate_limited",
        503,
        "The model server limits the request rate.",
        "Wait: the job continues by itself.",
    ),
    ErrorCode("model_unavailable", 503, "The model could not be reached.", _TRY_LATER),
    # The service is busy, down or set up wrongly.
    ErrorCode("unavailable", 503, "A service that the call needs is down.", _TRY_LATER),
    ErrorCode("busy", 503, "The process or the database is at its limit.", _TRY_LATER),
    ErrorCode("database_busy", 503, "The database is busy.", _TRY_LATER),
    ErrorCode("database_unavailable", 503, "The database cannot be reached.", _TRY_LATER),
    ErrorCode("not_migrated", 503, "The database schema has another version.", "Run `citegraph migrate`."),
    ErrorCode("too_slow", 503, "The database query took too long.", "Ask for less."),
    ErrorCode(
        "unsafe_login", 503, "The database login can bypass row security.", "Use the application's login."
    ),
    ErrorCode("configuration", 500, "The installation is not configured correctly.", "Read `detail`."),
    ErrorCode("internal_error", 500, "An unexpected error occurred.", _OPERATOR),
    ErrorCode(
        "no_psql_login", 500, "A login that is limited to one space cannot be created here.", "See `detail`."
    ),
    ErrorCode(
        "pooled_migration",
        500,
        "The database address leads to a connection pooler.",
        "Use the server's own address.",
    ),
    ErrorCode(
        "privileged_login", 500, "The database login may bypass row security.", "Use the application's login."
    ),
    # Told of a job, a document or a chunk.
    ErrorCode("chunk_crashed", None, "The process that read the chunk crashed.", _OPERATOR),
    ErrorCode("chunk_out_of_memory", None, "Reading the chunk needs more memory than allowed.", _OPERATOR),
    ErrorCode("chunk_timeout", None, "Reading the chunk took too long.", "Raise CITEGRAPH_CHUNK_SECONDS."),
    ErrorCode("document_too_slow", None, "Failed chunks of the document used up its time.", _SEND_PARTS),
    ErrorCode(
        "unreadable_chunk", None, "Reading the chunk failed because of a defect in Citegraph.", _OPERATOR
    ),
    ErrorCode("database_error", None, "The database refused a statement of the job.", _OPERATOR),
    ErrorCode("left_out", None, "Part of the document was not read; `reason` says which.", "See `reason`."),
    ErrorCode(
        "names_only", None, "The rules read names in this language, but no relations.", "Configure a model."
    ),
    ErrorCode("other_language", None, "The rules do not read this language.", "Configure a model."),
    ErrorCode("out_of_memory", None, "The job needs more memory than a worker may use.", _SEND_PARTS),
    ErrorCode(
        "overtaken", None, "Something was deleted while it was being read.", "Wait: the job is retried."
    ),
    ErrorCode(
        "poison", None, "It repeatedly crashed its workers.", "Send it in another format, or in parts."
    ),
)

BY_CODE: Final = {entry.code: entry for entry in ERROR_CODES}


def get_status_of_code(code: str) -> int | None:
    """Return the HTTP status of a code; None if it is unknown or answers no request."""
    entry = BY_CODE.get(code)
    return None if entry is None else entry.status


def list_error_codes_of_api() -> list[str]:
    """Return the codes that can answer a request, in order."""
    return sorted(entry.code for entry in ERROR_CODES if entry.status is not None)


def write_error_codes_table() -> str:
    """Return the codes with status, meaning and advice as a Markdown table for the documentation."""
    rows = [
        f"| `{entry.code}` | {entry.status or 'job'} | {entry.meaning} | {entry.action} |"
        for entry in sorted(ERROR_CODES, key=lambda entry: (entry.status or 999, entry.code))
    ]
    return "\n".join(["| code | status | what it means | what to do |", "| --- | --- | --- | --- |", *rows])
