-- add_questions: add golden questions; those with the words of a stored one replace its expectations.
INSERT INTO golden_question AS standing (knowledge_space_id, id, question, answers, sources)
SELECT here.knowledge_space_id, given.id, given.question, given.answers, given.sources
FROM unnest(%(ids)s::uuid[], %(questions)s::text[], %(answers)s::text[], %(sources)s::text[])
    AS given (id, question, answers, sources)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, question) DO UPDATE SET answers = excluded.answers, sources = excluded.sources
RETURNING (standing.xmax = 0)
