-- is_first_running: whether no other running job of the tenant was begun before this one.
SELECT NOT EXISTS (
    SELECT 1 FROM job this
    JOIN job other ON other.tenant_id = this.tenant_id AND other.state = 'running'
    WHERE this.tenant_id = %(tenant)s AND this.knowledge_space_id = %(space)s AND this.id = %(job)s
      AND (other.started_at, other.id) < (this.started_at, this.id)
)
