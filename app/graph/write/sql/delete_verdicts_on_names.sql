-- delete_verdicts_on_names: delete the verdicts on pairs of names of which one belongs to no node any more.
DELETE FROM node_pair_verdict verdict USING unnest(%(names)s::text[]) AS gone(name)
WHERE verdict.knowledge_space_id = %(space_id)s AND (verdict.name_a = gone.name OR verdict.name_b = gone.name)
  AND NOT EXISTS (
      SELECT 1 FROM node_name other
      WHERE other.knowledge_space_id = %(space_id)s AND other.normalised_name = gone.name
  )
