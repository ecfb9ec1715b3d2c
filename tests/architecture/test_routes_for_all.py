"""Issue 13.1: what pages and commands do has a route too; derived from what each door calls."""

import re

from tests.architecture.test_audited_changes import is_rule, mentioned, names_in
from tests.architecture.tree import program

OF_THE_OPERATOR = "of the operator's page of health; `/metrics` and `/readyz` are for programs"
OF_A_PERSON = "of a person at a browser: accounts, invitations and what they asked; programs have keys"
OF_A_FORM = "of forms, which carry what their page showed; a program sends the ETag as `If-Match`"
FOR_DRAWING = "for drawing a page: the API gives the nodes, edges and communities themselves"
IN_OTHER_WORDS = "puts into words for people what the API gives as fields"
BY_ANOTHER = "a route does the same through another function"
OF_A_FOLDER = "compares a folder that lies on the machine with a space"
AT_THE_MACHINE = "reads files of the machine that the command runs on"
OF_ALL_TENANTS = "of whoever restores a database, before the API runs on it"
EXAMPLES = "the examples of a first look; a program has documents of its own"
AT_PAGES_OR_MACHINE = "an operator looks at the page, or runs `citegraph doctor --json` at the machine"
# Functions that pages or commands call and no route does, each with why.
WITHOUT = {
    "app.tenancy.accounts.questions:delete_questions": OF_A_PERSON,
    "app.tenancy.accounts.questions:list_questions": OF_A_PERSON,
    "app.tenancy.accounts.questions:record_question_and_prune_history": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:change_password": OF_A_PERSON,
    "app.tenancy.accounts.service:change_role_or_remove_member": OF_A_PERSON,
    "app.tenancy.accounts.service:create_operator_link_token": OF_A_PERSON,
    "app.tenancy.accounts.service:create_invitation_link_token": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:get_open_link_and_lock_account": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:has_password": OF_A_PERSON,
    "app.tenancy.accounts.service:list_invitations": OF_A_PERSON,
    "app.tenancy.accounts.service:list_members": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:sign_in": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:sign_in_with_key": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:delete_session_and_expired_ones": OF_A_PERSON,
    "app.tenancy.accounts.sign_in:sign_in_or_join_with_link": OF_A_PERSON,
    "app.tenancy.accounts.service:withdraw_invitation": OF_A_PERSON,
    "app.derived.communities.service:get_communities": FOR_DRAWING,
    "app.derived.communities.service:find_latest_run": "`GET …/graph/communities/runs` has it first",
    "app.derived.communities.service:build_community_map": FOR_DRAWING,
    "app.derived.communities.service:build_map_of_community": FOR_DRAWING,
    "app.derived.communities.service:build_blocks_with_largest_parts": FOR_DRAWING,
    "app.domain.address_text:replace_control_characters": IN_OTHER_WORDS,
    "app.domain.document_names:choose_document_name": IN_OTHER_WORDS,
    "app.documents.examples:count_example_documents": EXAMPLES,
    "app.documents.examples:read_example_documents": EXAMPLES,
    "app.documents.folder_plan:find_prefix_of_renamed_folder": OF_A_FOLDER,
    "app.documents.folder_plan:plan_folder_rename": OF_A_FOLDER,
    "app.documents.folder_plan:split_moves_into_batches": OF_A_FOLDER,
    "app.documents.folder_plan:plan_folder_sync": OF_A_FOLDER,
    "app.documents.hashing:hash_content": OF_A_FOLDER,
    "app.documents.service:list_stored_files_below_address": BY_ANOTHER,
    "app.documents.format_detection:detect_format_or_refuse": AT_THE_MACHINE,
    "app.documents.format_registry:list_file_extensions": "the OpenAPI document has them with `format`",
    "app.documents.format_registry:list_format_labels": "the same",
    "app.documents.format_detection:has_extension": AT_THE_MACHINE,
    "app.documents.format_detection:may_file_of_name_be_read": AT_THE_MACHINE,
    "app.documents.format_detection:do_bytes_show_only_one_format": AT_THE_MACHINE,
    "app.transfer.erasures.json_lines:format_erasures_as_json_lines": OF_ALL_TENANTS,
    "app.transfer.erasures.json_lines:parse_erasures_from_json_lines": OF_ALL_TENANTS,
    "app.transfer.erasures.service:read_erasure_log": OF_ALL_TENANTS,
    "app.transfer.erasures.service:repeat_erasures": OF_ALL_TENANTS,
    "app.transfer.export.service:estimate_piece_count": AT_THE_MACHINE,
    "app.answers.golden.scoring:compare_runs": AT_THE_MACHINE,
    "app.answers.golden.service:list_outcomes_of_newest_finished_run": AT_THE_MACHINE,
    "app.answers.golden.service:find_newest_finished_run_with_own_settings": (
        "`GET …/golden/runs` has it first"
    ),
    "app.answers.golden.service:resolve_effective_values_of_changes": AT_THE_MACHINE,
    "app.documents.format_detection:explain_why_file_is_not_read": AT_THE_MACHINE,
    "app.documents.parsers.json_reader:load_json_numbers_as_text": AT_THE_MACHINE,
    "app.documents.service:list_documents_by_job": "titles on a page; `GET …/documents` names jobs",
    "app.documents.service:count_failed_documents": "of a page; `GET …/documents?state=failed` lists them",
    "app.documents.service:read_document_text": "`GET …/documents/{id}/text` gives it in parts, with ranges",
    "app.documents.service:search_documents": "`GET …/documents` lists them all, by state",
    "app.extraction.drop_reasons:describe_dropped_entries": IN_OTHER_WORDS,
    "app.extraction.llm.control_claims:ask_control_claims_and_describe_result": AT_THE_MACHINE,
    "app.graph.contested:format_denial_or_report": IN_OTHER_WORDS,
    "app.graph.narrative:format_relation_in_sentence": IN_OTHER_WORDS,
    "app.graph.narrative:format_statement": IN_OTHER_WORDS,
    "app.graph.narrative:format_cooccurrence": IN_OTHER_WORDS,
    "app.graph.narrative:format_validity": IN_OTHER_WORDS,
    "app.graph.narrative:format_attribute_value": IN_OTHER_WORDS,
    "app.graph.narrative:format_attribute": IN_OTHER_WORDS,
    "app.graph.narrative:format_verb_of_edge": IN_OTHER_WORDS,
    "app.graph.service:start_explanation": "`POST …/graph/explain` waits for the same",
    "app.graph.service:find_nodes": "`GET …/graph/nodes?q=` finds them",
    "app.graph.service:get_edges": BY_ANOTHER,
    "app.graph.service:get_nodes": BY_ANOTHER,
    "app.graph.tags.service:find_last_tagging_by_person": "the API gives it in a node's metadata",
    "app.graph.write.curation.service:get_name_given_by_person": "the API gives it in a node's metadata",
    "app.graph.write.curation.service:list_merges_and_splits_of_node": (
        "`GET …/graph/merges` and `/splits` list both ledgers"
    ),
    "app.graph.layout.service:list_node_and_neighbor_ids_and_record_recall": FOR_DRAWING,
    "app.graph.layout.service:list_edges_between": FOR_DRAWING,
    "app.graph.layout.service:list_communities_to_open": FOR_DRAWING,
    "app.graph.layout.service:build_graph_view": FOR_DRAWING,
    "app.ingest.extractor_choice:is_choosable_model": "a page's list; `PATCH /v1/spaces/{id}` refuses others",
    "app.jobs.queue:list_running_then_newest": "`GET …/jobs?state=` gives the same by state",
    "app.jobs.queue:count_recent_job_outcomes": OF_THE_OPERATOR,
    "app.jobs.queue:list_parked_jobs": OF_THE_OPERATOR,
    "app.jobs.queue:list_recent_failures": OF_THE_OPERATOR,
    "app.http.edit_versions.service:compute_current_versions_of_kind": (
        "`GET …/webhooks/{id}` has it in its `ETag`"
    ),
    "app.jobs.webhooks.service:count_pending_deliveries": OF_THE_OPERATOR,
    "app.http.edit_versions.service:hash_field": OF_A_FORM,
    "app.http.edit_versions.service:build_form_marks_of_resources": OF_A_FORM,
    "app.jobs.queue:list_held_leases": "of the operator's page on workers; `/metrics` is for programs",
    "app.jobs.queue:list_tenants_in_queue": "of the operator's page on the queue; `/metrics` is for programs",
    "app.answers.evaluation:load_question_sets": "scores a pack of questions that lies on the machine",
    "app.retrieval.evaluation:compare_recalls": "scores a pack of questions that lies on the machine",
    "app.retrieval.evaluation:compute_recall_percentages": "scores a pack of questions on the machine",
    "app.tenancy.spaces.service:get_space_settings": "`GET /v1/spaces/{id}` has the settings",
    "app.tenancy.spaces.service:read_names_of_spaces": "`GET /v1/spaces/{id}` has the name",
    "app.tenancy.spaces.service:update_space_row": "`PATCH /v1/spaces/{id}` merges through update_space",
    "app.derived.summaries.scheduling:get_gate_settings_of_space": BY_ANOTHER,
    "app.derived.summaries.service:get_summary": "`GET …/graph/nodes/{id}` has it",
    "app.derived.summaries.service:replay_gate": "replays the gate, for whoever tunes it at the machine",
    "app.tenancy.tenants.quotas:get_quota_limit_of_tenant": "`GET /v1/quotas` has it",
    "app.tenancy.tenants.quotas:read_totals_of_nonempty_spaces": "`GET /v1/spaces/{id}/overview` has one",
    "app.tenancy.tenants.api_keys:authenticate_key_and_record_use": "the edge authenticates before any route",
    "app.tenancy.tenants.service:create_tenant": "`POST /v1/tenants` founds a tenant with its first key",
    "app.tenancy.tenants.usage:get_budgets": "of the operator's page; `GET /v1/tenants` lists tenants",
    "app.tenancy.tenants.usage:read_usage_by_day": "sums of `GET /v1/usage`, which gives the days",
    "app.tenancy.tenants.usage:read_usage_by_space": "sums of `GET /v1/usage`, which names the space",
    "app.tenancy.tenants.usage:read_sizes_and_costs_of_tenants": "of the operator's page on tenants",
    "app.tenancy.tenants.usage:sum_usage": "sums of `GET /v1/usage`",
    "app.tenancy.tenants.examinations:examine_isolation_and_store_verdicts": AT_PAGES_OR_MACHINE,
    "app.tenancy.tenants.examinations:find_last_examination": AT_PAGES_OR_MACHINE,
}


def called_by(door: str) -> set[str]:
    """The functions of the domains that a door mentions; classes and constants are values, not acts."""
    found: set[str] = set()
    for source in program():
        if source.domain == door:
            found |= mentioned(source.tree, names_in(source))
    return {address for address in found if is_rule(address) and re.search(r":[a-z]", address)}


def test_what_a_page_or_a_command_does_has_a_route_or_a_reason() -> None:
    missing = (called_by("cli") | called_by("dashboard") | called_by("mcp")) - called_by("api")
    assert sorted(missing) == sorted(WITHOUT)


def test_the_acts_that_matter_have_routes() -> None:
    """Else the derivation would see nothing, and all would be well."""
    assert {
        "app.graph.write.merges:merge_nodes_by_person",
        "app.graph.write.merges:unmerge_nodes_by_person",
        "app.graph.write.near_duplicates:list_doubtful_pairs",
        "app.documents.service:retry_document_in_new_job",
        "app.graph.invalidation.service:uphold_value_and_end_others",
    } <= called_by("api") & (called_by("cli") | called_by("dashboard"))
