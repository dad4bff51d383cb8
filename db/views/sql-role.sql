-- The login role of POST /api/sql, and the wall behind its parser. Run it as a superuser in the database of the service,
-- once the service has started on it; docs/operations.md has the commands. It may be run again.

do $$
begin
  if not exists (select from pg_roles where rolname = 'analytics_http') then
    create role analytics_http;
  end if;
exception
  when duplicate_object or unique_violation then null;
end $$;

alter role analytics_http login nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit 32;
alter role analytics_http set default_transaction_read_only = on;
alter role analytics_http set statement_timeout = '30s';
alter role analytics_http set idle_in_transaction_session_timeout = '30s';
alter role analytics_http set max_parallel_workers_per_gather = 0;
alter role analytics_http set work_mem = '16MB';
-- Of all settings, the one that the role cannot change itself.
alter role analytics_http set temp_file_limit = '256MB';

grant usage on schema analytics to analytics_http;
grant select on all tables in schema analytics to analytics_http;

-- What everyone may do unless it is revoked: make temporary tables, and call functions that reach beyond their own
-- transaction. The service locks with pg_advisory_lock: anyone else who may would stop its dispatcher and its agent.
do $$
declare
  owner text := (select nspowner::regrole from pg_namespace where nspname = 'analytics');
  f regprocedure;
begin
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant connect on database %I to analytics_http', current_database());
  execute format('grant temporary on database %I to %s', current_database(), owner);
  if exists (select from pg_roles where rolname = 'analyst') then
    execute format('grant temporary on database %I to analyst', current_database());
  end if;
  for f in
    select p.oid from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and p.proname ~ '^(pg_(try_)?advisory_|pg_notify$|pg_(cancel|terminate)_backend$|lo_|lowrite$|loread$)'
      and has_function_privilege('public', p.oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to %s', f, owner);
  end loop;
end $$;
