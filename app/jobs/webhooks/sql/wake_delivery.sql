-- wake_delivery: let workers look at once for the tenant's messages, unless one has a message of it; then they look when that ends.
INSERT INTO webhook_queue AS queue (tenant_id, due_at) VALUES (%(tenant_id)s::uuid, now())
ON CONFLICT (tenant_id) DO UPDATE SET due_at = now() WHERE queue.leased_until IS NULL OR queue.leased_until < now()
