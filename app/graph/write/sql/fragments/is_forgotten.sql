-- is_forgotten: whether a node lost its names with the last text that gave them; a person may have named it since.
coalesce(metadata -> 'given' ->> 'before', canonical_name) = 'forgotten ' || id
