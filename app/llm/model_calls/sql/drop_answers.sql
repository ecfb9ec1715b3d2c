-- drop_answers: delete the answers that are only about these chunks.
DELETE FROM model_answer AS answer USING (
    SELECT DISTINCT tie.key FROM model_answer_chunk AS tie
    WHERE tie.knowledge_space_id = %(space_id)s AND tie.chunk_id = ANY(%(chunks)s::uuid[])
) AS concerned
WHERE answer.knowledge_space_id = %(space_id)s AND answer.key = concerned.key AND NOT EXISTS (
    SELECT 1 FROM model_answer_chunk AS other
    WHERE other.knowledge_space_id = %(space_id)s AND other.key = answer.key
      AND other.chunk_id <> ALL(%(chunks)s::uuid[])
)
