-- delete_keys_and_accounts: delete the keys, accounts, sessions, links and webhooks of a closed tenant.
WITH keys AS (DELETE FROM api_key WHERE tenant_id = %(id)s), sessions AS (DELETE FROM dashboard_session WHERE tenant_id = %(id)s),
links AS (DELETE FROM sign_in_link WHERE tenant_id = %(id)s), accounts AS (DELETE FROM account WHERE tenant_id = %(id)s),
hooks AS (DELETE FROM webhook WHERE tenant_id = %(id)s)
SELECT 1
