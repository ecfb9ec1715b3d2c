-- space_anchor: the table that takes the place of the view space_anchor on a cluster; content goes with its row.
CREATE TABLE public.space_anchor (knowledge_space_id uuid PRIMARY KEY, tenant_id uuid NOT NULL);
COMMENT ON TABLE public.space_anchor IS 'One row for each space, in the shard of its content, which goes with it. Walled by app.tenant_id.';
COMMENT ON COLUMN public.space_anchor.knowledge_space_id IS 'The space.';
COMMENT ON COLUMN public.space_anchor.tenant_id IS 'The tenant that owns it.';
ALTER TABLE public.space_anchor ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.space_anchor FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON public.space_anchor TO citegraph_app, citegraph_owner
USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid OR current_setting('app.platform', true) = 'on')
WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid OR current_setting('app.platform', true) = 'on');
CREATE POLICY one_space ON public.space_anchor FOR SELECT TO citegraph_inspect
USING (knowledge_space_id = substring(session_user::text, '^citegraph_psql_([0-9a-f]{32})$')::uuid);
INSERT INTO public.space_anchor SELECT id, tenant_id FROM public.knowledge_space;
ALTER TABLE public.space_anchor OWNER TO citegraph_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.space_anchor TO citegraph_app;
GRANT SELECT ON public.space_anchor TO citegraph_backup, citegraph_inspect
