-- store_layout: store the layout of a part of the drawing; delete those of another graph, and the oldest beyond a limit.
-- A transaction that began earlier deletes and replaces nothing stored by a later one.
DELETE FROM graph_layout AS old
WHERE old.knowledge_space_id = %(space_id)s AND old.part <> %(part)s AND old.created_at <= now()
  AND (old.version <> %(version)s OR old.part IN (
      SELECT kept.part FROM graph_layout AS kept
      WHERE kept.knowledge_space_id = %(space_id)s ORDER BY kept.created_at DESC OFFSET %(most)s));
INSERT INTO graph_layout AS kept (knowledge_space_id, part, version, body)
VALUES (%(space_id)s, %(part)s, %(version)s, %(body)s)
ON CONFLICT (knowledge_space_id, part) DO UPDATE
SET version = excluded.version, body = excluded.body, created_at = excluded.created_at
WHERE kept.created_at <= excluded.created_at
