-- wake_delivery: have workers look for the tenant's messages at once, or when the message being sent has ended.
INSERT INTO webhook_queue AS queue (tenant_id, due_at) VALUES (%(tenant_id)s::uuid, now())
ON CONFLICT (tenant_id) DO UPDATE SET due_at = now() WHERE queue.leased_until IS NULL OR queue.leased_until < now()
