-- delete_answers_without_chunks: delete the answers that are about no chunk: summaries, reports, verdicts, points of reports.
DELETE FROM model_answer WHERE knowledge_space_id = %(space_id)s AND NOT of_chunks
