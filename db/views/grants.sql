-- A role belongs to the whole server: another database may have made it, or this user may not make any.
do $$
begin
  if not exists (select from pg_roles where rolname = 'analyst') then
    create role analyst nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then raise notice 'no right to create the role analyst; grant analytics to one of your own';
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'analyst') then
    grant usage on schema analytics, analytics_host to analyst;
    grant select on all tables in schema analytics, analytics_host to analyst;
  end if;
  -- Of POST /api/sql; sql-role.sql makes it. The schemas are new, so that what it was granted before is gone.
  if exists (select from pg_roles where rolname = 'analytics_http') then
    grant usage on schema analytics to analytics_http;
    grant select on all tables in schema analytics to analytics_http;
  end if;
end $$;
