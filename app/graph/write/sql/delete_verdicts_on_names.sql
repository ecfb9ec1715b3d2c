-- delete_verdicts_on_names: forget what was decided about pairs of names of which one is no node's name any more.
DELETE FROM node_pair_verdict verdict USING unnest(%(names)s::text[]) AS gone(name)
WHERE verdict.knowledge_space_id = %(space_id)s AND (verdict.name_a = gone.name OR verdict.name_b = gone.name)
  AND NOT EXISTS (
      SELECT 1 FROM node_name other
      WHERE other.knowledge_space_id = %(space_id)s AND other.normalised_name = gone.name
  )
