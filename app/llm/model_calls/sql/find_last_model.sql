-- find_last_model: the model that read this space's chunks last, among its newest calls; none if rules read them.
SELECT model FROM (
    SELECT c.model, c.purpose, c.id FROM model_call c
    WHERE c.knowledge_space_id = %(space_id)s ORDER BY c.id DESC LIMIT 500
) AS newest
WHERE purpose = 'entities' ORDER BY id DESC LIMIT 1
