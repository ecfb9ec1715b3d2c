-- note_growth: add chunks to those read since words were counted; true if they are a fifth of the others.
INSERT INTO space_statistics AS s (knowledge_space_id, chunks, chunks_since) VALUES (%(space_id)s, 0, %(chunks)s)
ON CONFLICT (knowledge_space_id) DO UPDATE SET chunks_since = s.chunks_since + excluded.chunks_since
RETURNING chunks_since * 5 > chunks
