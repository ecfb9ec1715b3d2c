-- switch_vector_set: switch the space to another set of vectors, made by another model.
UPDATE knowledge_space SET embedding_model = %(model)s, embedding_dimensions = %(dimensions)s,
    vector_set = %(into_set)s, graph_revision = graph_revision + 1, updated_at = now()
WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s
