-- find_answer_ratios: how many tokens a model wrote for each token of passages, for each of these purposes, among the space's newest calls.
-- A tenth of the passages' tokens was answered with a lower ratio than the first returned, a tenth with a higher one than the second.
SELECT purpose, count(*), min(ratio) FILTER (WHERE share >= 0.1), min(ratio) FILTER (WHERE share >= 0.9)
FROM (
    SELECT purpose, completion_tokens::float8 / passage_tokens AS ratio,
        sum(passage_tokens) OVER (PARTITION BY purpose ORDER BY completion_tokens::float8 / passage_tokens, id)::float8
            / sum(passage_tokens) OVER (PARTITION BY purpose) AS share
    FROM (
        SELECT id, purpose, model, completion_tokens, passage_tokens, outcome FROM model_call
        WHERE knowledge_space_id = %(space_id)s ORDER BY id DESC LIMIT %(newest)s
    ) AS newest
    WHERE model = %(model)s AND purpose = ANY(%(purposes)s::text[]) AND outcome = 'ok' AND completion_tokens > 0
      AND passage_tokens > 0
) AS call
GROUP BY purpose
