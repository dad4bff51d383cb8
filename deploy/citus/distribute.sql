-- Distributes tables of the marketplace over the workers of a Citus cluster. docs/citus.md has the reasons.
--
-- Run it on the coordinator, after the migrations, on an empty or a filled database:
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql
-- It may run again: tables that are distributed already stay as they are.
--
-- A table is here if each statement of the code that names it is one that Citus plans. test/deploy/citus reads the layout out
-- of this file. Tables that are not here stay ordinary tables of the coordinator: candidates.sql has those that refuse a
-- statement.

-- By wallet. One row for each wallet and recipient of its caps, so it grows with both. Its primary key has the wallet.
select create_distributed_table('cap_wallets', 'wallet_id', colocate_with => 'none')
where not exists (select from pg_dist_partition where logicalrelid = 'cap_wallets'::regclass);

-- By service type. One row for each service and day with a rating. Its primary key has the service type.
select create_distributed_table('service_rating_days', 'service_type', colocate_with => 'none')
where not exists (select from pg_dist_partition where logicalrelid = 'service_rating_days'::regclass);

-- No table is a reference table: no statement joins one of these tables with a small one.
