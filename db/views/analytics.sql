-- For analysts: the read model in plain words, behind names that stay when the tables change.
-- The whole schema is rebuilt whenever this file changes.

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
  exists (
    select from public.catalog_entries e
    where e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher and e.shown
  ) as shown,
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
  r.average_score,
  coalesce(r.verified_reviews, 0) as verified_reviews,
  r.verified_average_score
from public.listings l
left join public.manifest_fetches f
  on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
left join public.manifests m on m.hash = l.manifest_hash and f.status = 'verified'
left join public.service_usage u on u.network = l.network and u.service_type = l.service_type
left join lateral (
  select count(*)::int as reviews, round(avg(v.score), 2) as average_score,
    (count(*) filter (where v.verified))::int as verified_reviews,
    round(avg(v.score) filter (where v.verified), 2) as verified_average_score
  from public.reviews v
  where v.network = l.network and v.service_type = l.service_type
    and (v.checkpoint, v.tx_index, v.event_index)
      > (l.registered_checkpoint, l.registered_tx_index, l.registered_event_index)
) r on true;

comment on view analytics.adaptors is 'One row for each service type and publisher that was ever registered.';
comment on column analytics.adaptors.network is 'testnet or mainnet.';
comment on column analytics.adaptors.service_type is 'Witness type, 0x<package>::<module>::<Witness>; as registered where it cannot be made canonical.';
comment on column analytics.adaptors.publisher is 'Address that registered the listing.';
comment on column analytics.adaptors.publisher_verified is 'The publisher published the package or owns its UpgradeCap.';
comment on column analytics.adaptors.witness_valid is 'The type exists in the package and is a field-less struct with drop alone.';
comment on column analytics.adaptors.manifest_verified is 'The manifest was fetched, has the registered hash, and is about this listing.';
comment on column analytics.adaptors.listed is 'False after the publisher unlisted it.';
comment on column analytics.adaptors.shown is 'The catalog shows it by default: listed, with a valid witness and a verified manifest, and by a verified publisher, the earliest of several. It shows the last verified version while a newer one is pending.';
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
comment on column analytics.adaptors.verified_reviews is 'Of these attesters, those who acted through the service before.';
comment on column analytics.adaptors.verified_average_score is 'Mean of their latest scores.';

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

create view analytics.wallets as
select
  network,
  wallet_id,
  owner,
  identity,
  paused,
  created_at
from public.wallets;

comment on view analytics.wallets is 'Every wallet.';
comment on column analytics.wallets.network is 'testnet or mainnet.';
comment on column analytics.wallets.wallet_id is 'Id of the wallet object.';
comment on column analytics.wallets.owner is 'The present owner.';
comment on column analytics.wallets.identity is 'Address that coins are sent to.';
comment on column analytics.wallets.paused is 'A paused wallet pays no service and no policy spend.';
comment on column analytics.wallets.created_at is 'Timestamp of its creation.';

create view analytics.service_grants as
select
  network,
  wallet_id,
  service_type,
  coin,
  allowance,
  pull_cap,
  granted_at
from public.service_grants;

comment on view analytics.service_grants is 'What services may pull from wallets now, by their owners grants.';
comment on column analytics.service_grants.network is 'testnet or mainnet.';
comment on column analytics.service_grants.wallet_id is 'Id of the wallet object.';
comment on column analytics.service_grants.service_type is 'Service that may pull.';
comment on column analytics.service_grants.coin is 'Coin type.';
comment on column analytics.service_grants.allowance is 'Base units left; null where the wallets package bounds no grant. 18446744073709551615 is unlimited.';
comment on column analytics.service_grants.pull_cap is 'Base units left to pull at another''s request or at nobody''s; null where that is not allowed. 18446744073709551615 is unlimited.';
comment on column analytics.service_grants.granted_at is 'When the grant was last set.';

create view analytics.delegates as
select
  network,
  wallet_id,
  delegate,
  added_at,
  expires_at
from public.delegates;

comment on view analytics.delegates is 'Addresses that may spend for wallets now.';
comment on column analytics.delegates.network is 'testnet or mainnet.';
comment on column analytics.delegates.wallet_id is 'Id of the wallet object.';
comment on column analytics.delegates.delegate is 'Address that may spend.';
comment on column analytics.delegates.added_at is 'When it was added.';
comment on column analytics.delegates.expires_at is 'When its right ends; null: never.';

create view analytics.delegate_allowances as
select
  network,
  wallet_id,
  delegate,
  kind,
  key,
  amount
from public.delegate_allowances;

comment on view analytics.delegate_allowances is 'Budgets of delegates, per service and per coin; a spend needs both.';
comment on column analytics.delegate_allowances.network is 'testnet or mainnet.';
comment on column analytics.delegate_allowances.wallet_id is 'Id of the wallet object.';
comment on column analytics.delegate_allowances.delegate is 'Address that may spend.';
comment on column analytics.delegate_allowances.kind is 'service or coin.';
comment on column analytics.delegate_allowances.key is 'Type of the service or the coin.';
comment on column analytics.delegate_allowances.amount is 'Base units left. 18446744073709551615 is unlimited.';

create view analytics.policies as
select
  network,
  wallet_id,
  version,
  spend_into,
  initialized_at
from public.policies;

comment on view analytics.policies is 'The delegation policy of each wallet that has one.';
comment on column analytics.policies.network is 'testnet or mainnet.';
comment on column analytics.policies.wallet_id is 'Id of the wallet object.';
comment on column analytics.policies.version is 'Grows when the owner revokes all; caps of an earlier version open nothing.';
comment on column analytics.policies.spend_into is 'Whether a spend may hand the coin to the transaction instead of its recipient.';
comment on column analytics.policies.initialized_at is 'When the policy was made.';

create view analytics.policy_rules as
select
  network,
  wallet_id,
  kind,
  rule,
  nullif(for_auth, '') as for_auth,
  added_at
from public.policy_rules;

comment on view analytics.policy_rules is 'The rules that policies hold now.';
comment on column analytics.policy_rules.network is 'testnet or mainnet.';
comment on column analytics.policy_rules.wallet_id is 'Id of the wallet object.';
comment on column analytics.policy_rules.kind is 'auth (any one opens) or caveat (all must agree).';
comment on column analytics.policy_rules.rule is 'Type of the rule.';
comment on column analytics.policy_rules.for_auth is 'Auth rule that the caveat goes with; null for a caveat of all of them, and for auth rules.';
comment on column analytics.policy_rules.added_at is 'When it was added.';

create view analytics.caps as
select
  network,
  cap_id,
  kind,
  wallet_id,
  recipient,
  policy_version,
  coin,
  budget,
  remaining,
  depth,
  max_depth,
  parent,
  minted_at,
  revoked_at,
  burned_at
from public.caps;

comment on view analytics.caps is 'Every delegation cap that was minted. Who holds it now is not known here: caps change hands without an event.';
comment on column analytics.caps.network is 'testnet or mainnet.';
comment on column analytics.caps.cap_id is 'Id of the cap object.';
comment on column analytics.caps.kind is 'bearer or scoped.';
comment on column analytics.caps.wallet_id is 'Id of the wallet object.';
comment on column analytics.caps.recipient is 'Whom it was minted for, where the chain says so.';
comment on column analytics.caps.policy_version is 'Version of the policy that it was minted under, where the chain says so.';
comment on column analytics.caps.coin is 'Coin type of a scoped cap.';
comment on column analytics.caps.budget is 'Base units a scoped cap was minted with.';
comment on column analytics.caps.remaining is 'Base units left after spends, sub-delegations and refunds.';
comment on column analytics.caps.depth is '0 for a scoped cap that the owner minted, more for one split from another.';
comment on column analytics.caps.max_depth is 'Deepest that it may be split.';
comment on column analytics.caps.parent is 'Cap that it was split from.';
comment on column analytics.caps.minted_at is 'When it was minted.';
comment on column analytics.caps.revoked_at is 'When this very cap was revoked; null while it was not.';
comment on column analytics.caps.burned_at is 'When it was destroyed; null while it was not.';

create view analytics.allowlists as
select
  network,
  allowlist_id,
  wallet_id,
  array(
    select r.recipient from public.allowlist_recipients r
    where r.network = a.network and r.allowlist_id = a.allowlist_id order by r.added_at, r.recipient
  ) as recipients,
  created_at,
  retired_at
from public.allowlists a;

comment on view analytics.allowlists is 'Every recipient allowlist, with its recipients now.';
comment on column analytics.allowlists.network is 'testnet or mainnet.';
comment on column analytics.allowlists.allowlist_id is 'Id of the list object.';
comment on column analytics.allowlists.wallet_id is 'Id of the wallet object.';
comment on column analytics.allowlists.recipients is 'Addresses on the list, the earliest first.';
comment on column analytics.allowlists.created_at is 'When it was made.';
comment on column analytics.allowlists.retired_at is 'When another took its place or it was given up; null while it may be in force.';

create view analytics.rules as
select
  r.network,
  r.rule_type,
  r.publisher,
  r.publisher_check = 'verified' as publisher_verified,
  r.witness_check = 'valid' as witness_valid,
  coalesce(f.status, 'pending') = 'verified' and r.manifest_error is null as manifest_verified,
  r.kind,
  r.listed,
  r.package_id,
  r.version,
  r.manifest_hash,
  r.manifest_uri,
  coalesce(f.status, 'pending') as manifest_status,
  coalesce(r.name_error, r.manifest_error, f.last_error, r.check_error) as problem,
  m.body ->> 'name' as name,
  r.registered_at,
  r.updated_at
from public.rules r
left join public.manifest_fetches f
  on f.network = r.network and f.hash = r.manifest_hash and f.uri = r.manifest_uri
left join public.manifests m
  on m.hash = r.manifest_hash and f.status = 'verified' and r.manifest_error is null;

comment on view analytics.rules is 'One row for each policy rule type and publisher that was ever registered.';
comment on column analytics.rules.network is 'testnet or mainnet.';
comment on column analytics.rules.rule_type is 'Witness type of the rule; as registered where it cannot be made canonical.';
comment on column analytics.rules.publisher is 'Address that registered it.';
comment on column analytics.rules.publisher_verified is 'The publisher published the package or owns its UpgradeCap.';
comment on column analytics.rules.witness_valid is 'The type exists in the package and is a field-less struct with drop alone.';
comment on column analytics.rules.manifest_verified is 'The manifest was fetched, has the registered hash, and is about this rule.';
comment on column analytics.rules.kind is 'auth or caveat.';
comment on column analytics.rules.listed is 'False after the publisher unlisted it.';
comment on column analytics.rules.package_id is 'Package it points at now.';
comment on column analytics.rules.version is 'Of the listing, counted by the registry.';
comment on column analytics.rules.manifest_hash is 'Registered sha256, lower-case hex.';
comment on column analytics.rules.manifest_uri is 'Registered place of the manifest.';
comment on column analytics.rules.manifest_status is 'pending, verified, mismatch, invalid or unreachable.';
comment on column analytics.rules.problem is 'What is wrong with it, if anything.';
comment on column analytics.rules.name is 'From the verified manifest.';
comment on column analytics.rules.registered_at is 'First registration by this publisher.';
comment on column analytics.rules.updated_at is 'Last registration, update or unlisting.';

create view analytics.agents as
select
  a.network,
  a.agent,
  a.name,
  a.description,
  a.skills,
  a.card_url,
  a.listed,
  a.version,
  coalesce(j.completed_jobs, 0) as completed_jobs,
  a.registered_at,
  a.updated_at
from public.agents a
left join (
  select network, provider, count(*)::int as completed_jobs from public.jobs where state = 3 group by 1, 2
) j on j.network = a.network and j.provider = a.agent;

comment on view analytics.agents is 'Agents as they describe themselves, and what they brought to an end.';
comment on column analytics.agents.network is 'testnet or mainnet.';
comment on column analytics.agents.agent is 'Address of the agent.';
comment on column analytics.agents.name is 'In its own words.';
comment on column analytics.agents.description is 'In its own words.';
comment on column analytics.agents.skills is 'In its own words.';
comment on column analytics.agents.card_url is 'Where its card is, if anywhere.';
comment on column analytics.agents.listed is 'False after it unlisted itself.';
comment on column analytics.agents.version is 'Of its description.';
comment on column analytics.agents.completed_jobs is 'Jobs whose money was released to it.';
comment on column analytics.agents.registered_at is 'First registration.';
comment on column analytics.agents.updated_at is 'Last registration, update or unlisting.';

create view analytics.jobs as
select
  network,
  job_id,
  wallet_id,
  provider,
  payer,
  coin,
  amount,
  (array['open', 'funded', 'submitted', 'released', 'refunded'])[state + 1] as state,
  brief,
  note,
  deadline_at,
  review_ms,
  assessor_type,
  assessor,
  funder,
  from_wallet,
  refunded_to,
  refund_reason,
  created_at,
  funded_at,
  submitted_at,
  released_at,
  refunded_at
from public.jobs;

comment on view analytics.jobs is 'Every escrow job.';
comment on column analytics.jobs.network is 'testnet or mainnet.';
comment on column analytics.jobs.job_id is 'Id of the job object.';
comment on column analytics.jobs.wallet_id is 'Id of the wallet object.';
comment on column analytics.jobs.provider is 'Who does the job.';
comment on column analytics.jobs.payer is 'Who hired; null where the chain has not been asked yet.';
comment on column analytics.jobs.coin is 'Coin type; null where the chain has not been asked yet.';
comment on column analytics.jobs.amount is 'Base units for the provider; null where funding fixes it, until then.';
comment on column analytics.jobs.state is 'open, funded, submitted, released or refunded.';
comment on column analytics.jobs.brief is 'The task, in the payer''s words.';
comment on column analytics.jobs.note is 'What was handed in, in the provider''s words.';
comment on column analytics.jobs.deadline_at is 'When anyone may have it refunded; null without a deadline.';
comment on column analytics.jobs.review_ms is 'Milliseconds after the deadline in which submitted work is not refunded by anyone; null where the package has no review period.';
comment on column analytics.jobs.assessor_type is 'Type of the witness that may judge.';
comment on column analytics.jobs.assessor is 'Whom the assessor cap was minted for.';
comment on column analytics.jobs.funder is 'Who funded it.';
comment on column analytics.jobs.from_wallet is 'Whether the money came out of a wallet.';
comment on column analytics.jobs.refunded_to is 'Where a refund went.';
comment on column analytics.jobs.refund_reason is 'cancelled, expired or rejected.';
comment on column analytics.jobs.created_at is 'When it was made.';
comment on column analytics.jobs.funded_at is 'When it was funded.';
comment on column analytics.jobs.submitted_at is 'When the work was handed in.';
comment on column analytics.jobs.released_at is 'When the provider was paid.';
comment on column analytics.jobs.refunded_at is 'When the money went back.';

create view analytics.service_actions as
select
  network,
  a.service_type,
  a.wallet_id,
  a.actors,
  e.tx_digest,
  a."timestamp" as occurred_at
from public.service_actions a
join public.events e using (network, checkpoint, tx_index, event_index);

comment on view analytics.service_actions is 'Counted use of services, listed or not: one row for each distinct transaction, wallet and service with a positive amount.';
comment on column analytics.service_actions.network is 'testnet or mainnet.';
comment on column analytics.service_actions.service_type is 'Service that was used.';
comment on column analytics.service_actions.wallet_id is 'Wallet that used it.';
comment on column analytics.service_actions.actors is 'The wallet''s owner then, the transaction''s sender, and spenders and payers that the events name.';
comment on column analytics.service_actions.tx_digest is 'Transaction.';
comment on column analytics.service_actions.occurred_at is 'Timestamp of the checkpoint.';

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
  removed_at,
  updated_at as heard_at
from public.sources;

comment on view analytics.sources is 'How fresh the other views are: one row for each network and kind of event.';
comment on column analytics.sources.network is 'testnet or mainnet.';
comment on column analytics.sources.source is 'Kind of events: registry, wallet, rules, agents or escrow.';
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
comment on column analytics.sources.removed_at is 'When it was last started without; null while it is followed.';
comment on column analytics.sources.heard_at is 'When the node was last heard.';

create view analytics.key_usage as
select day, key_id, integrator, requests
from public.key_usage;

comment on view analytics.key_usage is 'Requests that API keys were good for: one row for each day and key with any.';
comment on column analytics.key_usage.day is 'Day in UTC.';
comment on column analytics.key_usage.key_id is 'Id of the key, as the host lists it; never the key itself.';
comment on column analytics.key_usage.integrator is 'Whom the host issued the key to.';
comment on column analytics.key_usage.requests is 'Requests within the key''s limit. Some seconds behind; a gateway that is killed loses its last two.';

create view analytics.webhook_deliveries as
select
  d.subscription,
  d.id as delivery,
  d.network,
  d.event,
  e.tx_digest || ':' || e.event_index as event_id,
  d.state,
  d.attempts,
  e.timestamp as occurred_at,
  d.created_at as queued_at,
  d.due_at,
  d.ended_at,
  a.outcome as last_outcome,
  a.status as last_status
from public.webhook_deliveries d
left join public.events e using (network, checkpoint, tx_index, event_index)
left join public.webhook_attempts a
  on a.subscription = d.subscription and a.delivery = d.id and a.number = d.attempts;

comment on view analytics.webhook_deliveries is 'Registry events on their way to subscribers: one row for each event and subscription, kept for 30 days.';
comment on column analytics.webhook_deliveries.subscription is 'Webhook subscription.';
comment on column analytics.webhook_deliveries.delivery is 'Number of the delivery.';
comment on column analytics.webhook_deliveries.network is 'testnet or mainnet.';
comment on column analytics.webhook_deliveries.event is 'Registered, Updated, Unlisted or Attested; Test for a test event.';
comment on column analytics.webhook_deliveries.event_id is 'Transaction digest and index of the event in it; null for a test event.';
comment on column analytics.webhook_deliveries.state is 'pending, delivered, or failed: no attempt is left.';
comment on column analytics.webhook_deliveries.attempts is 'Attempts whose end is known.';
comment on column analytics.webhook_deliveries.occurred_at is 'Timestamp of the checkpoint that holds the event; null for a test event.';
comment on column analytics.webhook_deliveries.queued_at is 'When the delivery was written.';
comment on column analytics.webhook_deliveries.due_at is 'When it is sent next; null when it is not.';
comment on column analytics.webhook_deliveries.ended_at is 'When the last attempt ended.';
comment on column analytics.webhook_deliveries.last_outcome is 'How the last attempt ended: delivered, http_status, redirect, timeout, network, forbidden_address or forbidden_url.';
comment on column analytics.webhook_deliveries.last_status is 'HTTP status of the last attempt; null where none came.';

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
