-- nullify: on a cluster, empty what refers to a row that goes; Citus takes no key that does so itself.
CREATE OR REPLACE FUNCTION public."{name}"() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.{table} SET {column} = NULL WHERE knowledge_space_id = OLD.knowledge_space_id AND {column} = OLD.id;
    RETURN OLD;
END $$
