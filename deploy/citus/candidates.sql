-- The layout that distribution by wallet and by service type asks for, with the tables whose statements Citus refuses.
-- DO NOT apply it: docs/citus.md names a statement for each table that would fail. test/deploy/citus plans them for this
-- layout, so that a statement that changed is noticed, and the table moves to distribute.sql.

select create_distributed_table('cap_wallets', 'wallet_id', colocate_with => 'none');
select create_distributed_table('wallets', 'wallet_id', colocate_with => 'cap_wallets');
select create_distributed_table('policies', 'wallet_id', colocate_with => 'cap_wallets');
select create_distributed_table('policy_rules', 'wallet_id', colocate_with => 'cap_wallets');
select create_distributed_table('delegates', 'wallet_id', colocate_with => 'cap_wallets');
select create_distributed_table('delegate_allowances', 'wallet_id', colocate_with => 'cap_wallets');
select create_distributed_table('service_grants', 'wallet_id', colocate_with => 'cap_wallets');

-- A unique index needs the distribution column. The id of a cap is unique by itself, so the key stays as strict.
alter table caps drop constraint caps_network_cap_id_pk;
alter table caps add constraint caps_network_cap_id_pk primary key (network, cap_id, wallet_id);
select create_distributed_table('caps', 'wallet_id', colocate_with => 'cap_wallets');

select create_distributed_table('service_rating_days', 'service_type', colocate_with => 'none');
select create_distributed_table('service_usage', 'service_type', colocate_with => 'service_rating_days');
select create_distributed_table('service_days', 'service_type', colocate_with => 'service_rating_days');
select create_distributed_table('service_coin_days', 'service_type', colocate_with => 'service_rating_days');
select create_distributed_table('service_vaults', 'service_type', colocate_with => 'service_rating_days');
select create_distributed_table('service_actors', 'service_type', colocate_with => 'service_rating_days');
select create_distributed_table('reviews', 'service_type', colocate_with => 'service_rating_days');

-- These have the position of their event as their key, which is unique by itself.
alter table service_actions drop constraint service_actions_network_checkpoint_tx_index_event_index_pk;
alter table service_actions add constraint service_actions_network_checkpoint_tx_index_event_index_pk
  primary key (network, checkpoint, tx_index, event_index, service_type);
select create_distributed_table('service_actions', 'service_type', colocate_with => 'service_rating_days');

alter table attestations drop constraint attestations_network_checkpoint_tx_index_event_index_pk;
alter table attestations add constraint attestations_network_checkpoint_tx_index_event_index_pk
  primary key (network, checkpoint, tx_index, event_index, service_type);
select create_distributed_table('attestations', 'service_type', colocate_with => 'service_rating_days');

-- It has neither a wallet nor a service type in its key. Only a column of the key can be the distribution column.
select create_distributed_table('events', 'checkpoint', colocate_with => 'none');
