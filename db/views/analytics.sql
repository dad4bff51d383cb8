-- For analysts: the read model in plain words, behind names that stay when the tables change.
-- The whole schema is made anew whenever this file changes.

drop schema if exists analytics cascade;
create schema analytics;
comment on schema analytics is 'Read-only views of the adaptor marketplace for analysts.';

create view analytics.adaptors as
select
  l.network,
  l.service_type,
  l.publisher,
  l.publisher_check = 'verified' as publisher_verified,
  l.witness_check = 'valid' as witness_valid,
  coalesce(f.status, 'pending') = 'verified' and l.manifest_error is null as manifest_verified,
  l.listed,
  l.package_id,
  l.version,
  l.manifest_hash,
  l.manifest_uri,
  coalesce(f.status, 'pending') as manifest_status,
  coalesce(l.name_error, l.manifest_error, f.last_error, l.check_error) as problem,
  m.body ->> 'name' as name,
  m.body ->> 'category' as category,
  m.body ->> 'integrator' as integrator,
  m.body as manifest,
  l.registered_at,
  l.updated_at,
  coalesce(u.actions, 0) as actions,
  coalesce(u.unique_vaults, 0) as unique_vaults,
  u.last_action_at,
  coalesce(r.reviews, 0) as reviews,
  r.average_score
from public.listings l
left join public.manifest_fetches f
  on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
left join public.manifests m on m.hash = l.manifest_hash and f.status = 'verified'
left join public.service_usage u on u.network = l.network and u.service_type = l.service_type
left join lateral (
  select count(*)::int as reviews, round(avg(latest.score), 2) as average_score
  from (
    select distinct on (a.attester) a.score
    from public.attestations a
    where a.network = l.network and a.service_type = l.service_type
      and (a.checkpoint, a.tx_index, a.event_index)
        > (l.registered_checkpoint, l.registered_tx_index, l.registered_event_index)
    order by a.attester, a.checkpoint desc, a.tx_index desc, a.event_index desc
  ) latest
) r on true;

comment on view analytics.adaptors is 'One row for each service type and publisher that was ever registered.';
comment on column analytics.adaptors.network is 'testnet or mainnet.';
comment on column analytics.adaptors.service_type is 'Witness type, 0x<package>::<module>::<Witness>; as registered where it cannot be made canonical.';
comment on column analytics.adaptors.publisher is 'Address that registered the listing.';
comment on column analytics.adaptors.publisher_verified is 'The publisher published the package or owns its UpgradeCap.';
comment on column analytics.adaptors.witness_valid is 'The type exists in the package and is a field-less struct with drop alone.';
comment on column analytics.adaptors.manifest_verified is 'The manifest was fetched, has the registered hash, and is about this listing.';
comment on column analytics.adaptors.listed is 'False after the publisher unlisted it.';
comment on column analytics.adaptors.package_id is 'Package the listing points at now.';
comment on column analytics.adaptors.version is 'Of the listing, counted by the registry.';
comment on column analytics.adaptors.manifest_hash is 'Registered sha256 of the canonical manifest, lower-case hex.';
comment on column analytics.adaptors.manifest_uri is 'Registered place of the manifest.';
comment on column analytics.adaptors.manifest_status is 'pending, verified, mismatch, invalid or unreachable.';
comment on column analytics.adaptors.problem is 'What is wrong with the listing, if anything.';
comment on column analytics.adaptors.name is 'From the verified manifest.';
comment on column analytics.adaptors.category is 'From the verified manifest.';
comment on column analytics.adaptors.integrator is 'From the verified manifest: partner that the listing is attributed to.';
comment on column analytics.adaptors.manifest is 'The whole verified manifest.';
comment on column analytics.adaptors.registered_at is 'First registration by this publisher.';
comment on column analytics.adaptors.updated_at is 'Last registration, update or unlisting.';
comment on column analytics.adaptors.actions is 'Counted uses of the service by wallets.';
comment on column analytics.adaptors.unique_vaults is 'Wallets with at least one counted use.';
comment on column analytics.adaptors.last_action_at is 'Last counted use.';
comment on column analytics.adaptors.reviews is 'Attesters since the first registration.';
comment on column analytics.adaptors.average_score is 'Mean of the latest score of each attester, 1 to 5.';

create view analytics.registry_events as
select
  network,
  tx_digest || ':' || event_index as event_id,
  name,
  checkpoint,
  tx_index,
  event_index,
  "timestamp" as occurred_at,
  tx_digest,
  sender,
  data,
  decode_error
from public.events
where source = 'registry';

comment on view analytics.registry_events is 'Every event of the registry, in the order (checkpoint, tx_index, event_index).';
comment on column analytics.registry_events.network is 'testnet or mainnet.';
comment on column analytics.registry_events.event_id is 'Public id: transaction digest and position in the transaction.';
comment on column analytics.registry_events.name is 'Registered, Updated, Unlisted or Attested.';
comment on column analytics.registry_events.checkpoint is 'Sequence number of the checkpoint.';
comment on column analytics.registry_events.tx_index is 'Position of the transaction in its checkpoint.';
comment on column analytics.registry_events.event_index is 'Position of the event in its transaction.';
comment on column analytics.registry_events.occurred_at is 'Timestamp of the checkpoint.';
comment on column analytics.registry_events.tx_digest is 'Transaction that emitted it.';
comment on column analytics.registry_events.sender is 'Sender of that transaction.';
comment on column analytics.registry_events.data is 'The event''s fields; null where its bytes did not decode.';
comment on column analytics.registry_events.decode_error is 'Why its bytes did not decode.';

create view analytics.attestations as
select
  a.network,
  e.tx_digest || ':' || a.event_index as event_id,
  a.service_type,
  a.attester,
  a.score,
  a.comment_uri,
  a."timestamp" as occurred_at
from public.attestations a
join public.events e using (network, checkpoint, tx_index, event_index);

comment on view analytics.attestations is 'Every attestation ever made, superseded ones included.';
comment on column analytics.attestations.network is 'testnet or mainnet.';
comment on column analytics.attestations.event_id is 'Public id of the event.';
comment on column analytics.attestations.service_type is 'Service that was rated.';
comment on column analytics.attestations.attester is 'Address that rated it.';
comment on column analytics.attestations.score is '1 to 5.';
comment on column analytics.attestations.comment_uri is 'Where the comment is; may be empty.';
comment on column analytics.attestations.occurred_at is 'Timestamp of the checkpoint.';

create view analytics.sources as
select
  network,
  name as source,
  chain_id,
  checkpoint,
  checkpoint_at,
  chain_tip,
  greatest(chain_tip - checkpoint, 0) as checkpoints_behind,
  event_count as events,
  undecoded_count as undecoded_events,
  last_error,
  last_error_at,
  stopped_at,
  updated_at as heard_at
from public.sources;

comment on view analytics.sources is 'How fresh the other views are: one row for each network and kind of event.';
comment on column analytics.sources.network is 'testnet or mainnet.';
comment on column analytics.sources.source is 'Kind of events: registry, ...';
comment on column analytics.sources.chain_id is 'Digest of the chain''s genesis checkpoint.';
comment on column analytics.sources.checkpoint is 'Everything up to this checkpoint is stored.';
comment on column analytics.sources.checkpoint_at is 'Timestamp of that checkpoint.';
comment on column analytics.sources.chain_tip is 'Highest checkpoint of the chain when last heard.';
comment on column analytics.sources.checkpoints_behind is 'Checkpoints between the two.';
comment on column analytics.sources.events is 'Events stored.';
comment on column analytics.sources.undecoded_events is 'Of these, events whose bytes did not decode.';
comment on column analytics.sources.last_error is 'Why the source stopped or is being retried; null while it runs.';
comment on column analytics.sources.last_error_at is 'When that was.';
comment on column analytics.sources.stopped_at is 'When it stopped for good; null while it runs or is being retried.';
comment on column analytics.sources.heard_at is 'When the node was last heard.';

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
    grant usage on schema analytics to analyst;
    grant select on all tables in schema analytics to analyst;
  end if;
end $$;
