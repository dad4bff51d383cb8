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
  coalesce(f.status, 'pending') = 'verified' and l.manifest_error is null and not l.judgement_due as manifest_verified,
  l.listed,
  coalesce(e.shown, false) as shown,
  l.package_id,
  l.version,
  l.manifest_hash,
  l.manifest_uri,
  coalesce(f.status, 'pending') as manifest_status,
  coalesce(l.name_error, l.manifest_error, f.last_error, l.check_error) as problem,
  coalesce(m.shown, m.body) ->> 'name' as name,
  coalesce(m.shown, m.body) ->> 'category' as category,
  coalesce(m.shown, m.body) ->> 'integrator' as integrator,
  coalesce(m.shown, m.body) ->> 'deprecated' as deprecated,
  coalesce(m.shown, m.body) ->> 'successor' as successor,
  m.body as manifest,
  m.warnings as manifest_warnings,
  l.registered_at,
  l.updated_at,
  coalesce(u.actions, 0) as actions,
  coalesce(u.unique_vaults, 0) as unique_vaults,
  u.last_action_at,
  coalesce(r.reviews, 0) as reviews,
  r.average_score,
  coalesce(r.verified_reviews, 0) as verified_reviews,
  r.verified_average_score,
  e.canary_state,
  e.canary_since
from public.listings l
left join public.catalog_entries e
  on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
left join public.manifest_fetches f
  on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
left join public.manifests m on m.hash = l.manifest_hash and f.status = 'verified'
left join public.service_usage u
  on u.network = l.network and u.service_type = l.service_type and l.ever_verified
left join lateral (
  select count(*)::int as reviews, round(avg(v.score), 2) as average_score,
    (count(*) filter (where v.verified))::int as verified_reviews,
    round(avg(v.score) filter (where v.verified), 2) as verified_average_score
  from public.reviews v
  where v.network = l.network and v.service_type = l.service_type and l.ever_verified
    and (v.checkpoint, v.tx_index, v.event_index) > (
      select first.registered_checkpoint, first.registered_tx_index, first.registered_event_index
      from public.listings first
      where first.network = l.network and first.service_type = l.service_type and first.ever_verified
      order by first.registered_checkpoint, first.registered_tx_index, first.registered_event_index limit 1
    )
) r on true;

comment on view analytics.adaptors is 'One row for each service type and publisher that was ever registered.';
comment on column analytics.adaptors.network is 'testnet or mainnet.';
comment on column analytics.adaptors.service_type is 'Witness type, 0x<package>::<module>::<Witness>; as registered where it cannot be made canonical.';
comment on column analytics.adaptors.publisher is 'Address that registered the listing.';
comment on column analytics.adaptors.publisher_verified is 'The publisher published the package or owns its UpgradeCap.';
comment on column analytics.adaptors.witness_valid is 'The type exists in the package and is a field-less struct with drop alone.';
comment on column analytics.adaptors.manifest_verified is 'The manifest was fetched, has the registered hash, and is about this listing.';
comment on column analytics.adaptors.listed is 'False after the publisher unlisted it.';
comment on column analytics.adaptors.shown is 'The catalog shows it by default: listed, not in quarantine, with a valid witness and a verified manifest, and by a verified publisher, the earliest of several. It shows the last verified version while a newer one is pending, for at most 24 hours once the newer one cannot be fetched.';
comment on column analytics.adaptors.package_id is 'Package the listing points at now.';
comment on column analytics.adaptors.version is 'Of the listing, counted by the registry.';
comment on column analytics.adaptors.manifest_hash is 'Registered sha256 of the canonical manifest, lower-case hex.';
comment on column analytics.adaptors.manifest_uri is 'Registered place of the manifest.';
comment on column analytics.adaptors.manifest_status is 'pending, verified, mismatch, invalid or unreachable.';
comment on column analytics.adaptors.problem is 'What is wrong with the listing, if anything.';
comment on column analytics.adaptors.name is 'From the manifest that has the registered hash, as the catalog shows it; also if that manifest is not about this listing.';
comment on column analytics.adaptors.category is 'From the same manifest.';
comment on column analytics.adaptors.integrator is 'From the same manifest: partner that the listing is attributed to.';
comment on column analytics.adaptors.deprecated is 'From the same manifest: why new wallets should not begin to use it; null if it is not deprecated.';
comment on column analytics.adaptors.successor is 'From the same manifest: service type to use instead, as the publisher spells it. It counts only beside deprecated.';
comment on column analytics.adaptors.manifest is 'The whole manifest that has the registered hash, as its publisher wrote it; null until it is fetched.';
comment on column analytics.adaptors.manifest_warnings is 'Fields that the catalog shows otherwise: code, path and detail of each.';
comment on column analytics.adaptors.registered_at is 'First registration by this publisher.';
comment on column analytics.adaptors.updated_at is 'Last registration, update or unlisting.';
comment on column analytics.adaptors.actions is 'Counted uses of the service by wallets. 0 unless the publisher is or was verified, like the wallets and reviews.';
comment on column analytics.adaptors.unique_vaults is 'Wallets with at least one counted use.';
comment on column analytics.adaptors.last_action_at is 'Last counted use.';
comment on column analytics.adaptors.reviews is 'Attesters since the first registration by a publisher that is or was verified.';
comment on column analytics.adaptors.average_score is 'Mean of the latest score of each attester, 1 to 5.';
comment on column analytics.adaptors.verified_reviews is 'Of these attesters, those who acted through the service before.';
comment on column analytics.adaptors.verified_average_score is 'Mean of their latest scores.';
comment on column analytics.adaptors.canary_state is 'State of its operations in simulations: up, degraded, down or unproven; null if none is simulated. It shows life, not safety.';
comment on column analytics.adaptors.canary_since is 'Since when it has the state.';

create view analytics.registry_events as
select
  network,
  -- As in the index registry_events_by_id.
  tx_digest || ':' || event_index::text as event_id,
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
comment on column analytics.registry_events.name is 'Last part of its type, such as Registered.';
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

comment on view analytics.service_grants is 'What services may pull from wallets now, by the grants of their owners.';
comment on column analytics.service_grants.network is 'testnet or mainnet.';
comment on column analytics.service_grants.wallet_id is 'Id of the wallet object.';
comment on column analytics.service_grants.service_type is 'Service that may pull.';
comment on column analytics.service_grants.coin is 'Coin type.';
comment on column analytics.service_grants.allowance is 'Base units left; null where the package of the wallet bounds no grant. 18446744073709551615 is unlimited.';
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

comment on view analytics.delegates is 'Delegates of wallets: addresses that may spend for them until expires_at. Expired ones are included.';
comment on column analytics.delegates.network is 'testnet or mainnet.';
comment on column analytics.delegates.wallet_id is 'Id of the wallet object.';
comment on column analytics.delegates.delegate is 'Address of the delegate.';
comment on column analytics.delegates.added_at is 'When it was added.';
comment on column analytics.delegates.expires_at is 'When its right ends, or ended; null: never.';

create view analytics.delegate_allowances as
select
  network,
  wallet_id,
  delegate,
  kind,
  key,
  amount
from public.delegate_allowances;

comment on view analytics.delegate_allowances is 'Budgets of delegates, expired ones included, per service and per coin; a spend needs both.';
comment on column analytics.delegate_allowances.network is 'testnet or mainnet.';
comment on column analytics.delegate_allowances.wallet_id is 'Id of the wallet object.';
comment on column analytics.delegate_allowances.delegate is 'Address of the delegate.';
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
  coalesce(f.status, 'pending') = 'verified' and r.manifest_error is null and not r.judgement_due as manifest_verified,
  r.kind,
  r.listed,
  r.package_id,
  r.version,
  r.manifest_hash,
  r.manifest_uri,
  coalesce(f.status, 'pending') as manifest_status,
  coalesce(r.name_error, r.manifest_error, f.last_error, r.check_error) as problem,
  coalesce(m.shown, m.body) ->> 'name' as name,
  r.registered_at,
  r.updated_at
from public.rules r
left join public.manifest_fetches f
  on f.network = r.network and f.hash = r.manifest_hash and f.uri = r.manifest_uri
left join public.manifests m
  on m.hash = r.manifest_hash and f.status = 'verified' and r.manifest_error is null and not r.judgement_due;

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
comment on column analytics.rules.name is 'From the verified manifest, as it is shown.';
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
comment on column analytics.jobs.deadline_at is 'From then on anyone may have it refunded, and submitted work only after review_ms more; null without a deadline.';
comment on column analytics.jobs.review_ms is 'Milliseconds after the deadline in which submitted work is not refunded by anyone; null where the package has no review period.';
comment on column analytics.jobs.assessor_type is 'Type of the witness that judges: of a contract, or of the escrow package, with whose cap the assessor judges.';
comment on column analytics.jobs.assessor is 'Whom the assessor cap was minted for.';
comment on column analytics.jobs.funder is 'Sender of the transaction that funded it. A refund goes there, or to the wallet if from_wallet.';
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
  a.coins,
  a.taken,
  a.brought,
  e.tx_digest,
  a."timestamp" as occurred_at
from public.service_actions a
join public.events e using (network, checkpoint, tx_index, event_index);

comment on view analytics.service_actions is 'Counted use of services, listed or not: one row for each distinct transaction, wallet and service with a positive amount.';
comment on column analytics.service_actions.network is 'testnet or mainnet.';
comment on column analytics.service_actions.service_type is 'Service that was used.';
comment on column analytics.service_actions.wallet_id is 'Wallet that used it.';
comment on column analytics.service_actions.actors is 'The wallet''s owner then, the transaction''s sender, and spenders and payers that the events name.';
comment on column analytics.service_actions.coins is 'Coins that it moved, each once.';
comment on column analytics.service_actions.taken is 'What left the wallet of each of the coins, in base units.';
comment on column analytics.service_actions.brought is 'What came into the wallet of each of the coins, in base units.';
comment on column analytics.service_actions.tx_digest is 'Transaction.';
comment on column analytics.service_actions.occurred_at is 'Timestamp of the checkpoint.';

create view analytics.service_days as
select network, service_type, day, actions, wallets
from public.service_days;

comment on view analytics.service_days is 'Counted use by day: one row for each day and service with any.';
comment on column analytics.service_days.network is 'testnet or mainnet.';
comment on column analytics.service_days.service_type is 'Service that was used.';
comment on column analytics.service_days.day is 'Day in UTC.';
comment on column analytics.service_days.actions is 'Counted actions.';
comment on column analytics.service_days.wallets is 'Distinct wallets of the day.';

create view analytics.service_rating_days as
select network, service_type, day, ratings, score_sum, round(score_sum::numeric / ratings, 2) as average_score
from public.service_rating_days;

comment on view analytics.service_rating_days is 'Ratings by day: one row for each day and service with any. A later rating by the same address counts on its own day too.';
comment on column analytics.service_rating_days.network is 'testnet or mainnet.';
comment on column analytics.service_rating_days.service_type is 'Service that was rated.';
comment on column analytics.service_rating_days.day is 'Day in UTC.';
comment on column analytics.service_rating_days.ratings is 'Attestations of the day.';
comment on column analytics.service_rating_days.score_sum is 'Sum of their scores, each 1 to 5.';
comment on column analytics.service_rating_days.average_score is 'Average of the day, with two decimals.';

create view analytics.certified_packages as
select network, package_id, publisher, state, reason, analysis, computed_at
from public.certified_packages;

comment on view analytics.certified_packages is 'Packages whose functions are certified from their bytecode: one row for each package that a listing with a valid witness named.';
comment on column analytics.certified_packages.network is 'testnet or mainnet.';
comment on column analytics.certified_packages.package_id is 'The package, one version of it.';
comment on column analytics.certified_packages.publisher is 'Publisher of the listing that first named it.';
comment on column analytics.certified_packages.state is 'pending; computed: each function that a transaction can call has a certificate; unread: some have none.';
comment on column analytics.certified_packages.reason is 'Why functions have no certificate, or why the last attempt failed; null otherwise.';
comment on column analytics.certified_packages.analysis is 'Version of the analysis; null while pending.';
comment on column analytics.certified_packages.computed_at is 'When it ran; null while pending.';

create view analytics.function_certificates as
select network, package_id, module, function, hash, certificate
from public.certificates;

comment on view analytics.function_certificates is 'What functions can do with money, as their bytecode shows: one row for each function with a certificate.';
comment on column analytics.function_certificates.network is 'testnet or mainnet.';
comment on column analytics.function_certificates.package_id is 'The package, one version of it.';
comment on column analytics.function_certificates.module is 'Module of the function.';
comment on column analytics.function_certificates.function is 'Name of the function.';
comment on column analytics.function_certificates.hash is 'Lower-case hex sha256 of the canonical JSON of the certificate.';
comment on column analytics.function_certificates.certificate is 'The certificate. Its claims are the array under the key claims, each with kind and verdict.';

create view analytics.update_changes as
select network, service_type, publisher, version, former_version, state, reason, widens, analysis, functions,
  has_more_functions, computed_at
from public.claim_changes;

comment on view analytics.update_changes is 'What the code of updates may do beyond the version before: one row for each version that the catalog showed.';
comment on column analytics.update_changes.network is 'testnet or mainnet.';
comment on column analytics.update_changes.service_type is 'Service of the listing.';
comment on column analytics.update_changes.publisher is 'Address of its publisher.';
comment on column analytics.update_changes.version is 'Version of the listing.';
comment on column analytics.update_changes.former_version is 'The last version that was shown before it; null unless computed.';
comment on column analytics.update_changes.state is 'first: none was shown before; pending: not compared yet; computed.';
comment on column analytics.update_changes.reason is 'Why the last attempt was too early; null otherwise.';
comment on column analytics.update_changes.widens is 'true if its code may do more; null unless computed.';
comment on column analytics.update_changes.analysis is 'Version of the analysis whose claims were compared; null unless computed.';
comment on column analytics.update_changes.functions is 'The functions that differ, an array: package, module, function, and sentences, each with text, kind and widens.';
comment on column analytics.update_changes.has_more_functions is 'true if the operations call more functions than were compared.';
comment on column analytics.update_changes.computed_at is 'When they were compared; null until then.';

create view analytics.package_sources as
select network, package_id, hash, source_hash, verdict,
  rank is not null and row_number() over (partition by network, package_id order by rank, offered_at) = 1 as is_best,
  report ->> 'compiler' as compiler, report ->> 'reason' as reason, offered_at, verified_at
from public.package_sources;

comment on view analytics.package_sources is 'Source that was offered for packages: one row for each offer that stays, which are the best and the four newest of a package.';
comment on column analytics.package_sources.network is 'testnet or mainnet.';
comment on column analytics.package_sources.package_id is 'The package, one version of it.';
comment on column analytics.package_sources.hash is 'Lower-case hex sha256 of the offered text.';
comment on column analytics.package_sources.source_hash is 'Hash of the build inputs of the package itself, as the source verification service of Sui computes it.';
comment on column analytics.package_sources.verdict is 'exact, same_code, same_but_error_lines, differs or not_built; null until it is built.';
comment on column analytics.package_sources.is_best is 'true for the offer whose verdict the package has.';
comment on column analytics.package_sources.compiler is 'Version of Sui whose compiler gave the verdict; null if nothing was built.';
comment on column analytics.package_sources.reason is 'Why nothing was built; null otherwise.';
comment on column analytics.package_sources.offered_at is 'When it was offered.';
comment on column analytics.package_sources.verified_at is 'When it was built and compared; null until then.';

create view analytics.package_statements as
select s.network, s.package_id, s.object_id, a.name as attester, s.type, a.says,
  s.content ->> 'summary' as summary, s.content ->> 'repository' as repository, s.content ->> 'commit' as commit,
  s.content ->> 'path' as path, s.content ->> 'sourceHash' as source_hash, s.content ->> 'report' as report,
  s.content ->> 'issuer' as issuer, s.read_at
from public.package_statements s
join public.attesters a using (network, type);

comment on view analytics.package_statements is 'Statements in force that attesters of the list of the operator make about packages on chain: one row for each object. The service does not check them.';
comment on column analytics.package_statements.network is 'testnet or mainnet.';
comment on column analytics.package_statements.package_id is 'The package, one version of it.';
comment on column analytics.package_statements.object_id is 'The object on chain.';
comment on column analytics.package_statements.attester is 'Name of the attester in the list of the operator.';
comment on column analytics.package_statements.type is 'Type of the data of the statement, which identifies the attester.';
comment on column analytics.package_statements.says is 'The words of the operator for what its statements say.';
comment on column analytics.package_statements.summary is 'Text of the attester; null if the object has none.';
comment on column analytics.package_statements.repository is 'The https url of the repository with the source; null if the object has none.';
comment on column analytics.package_statements.commit is 'Commit of the source; null if the object has none.';
comment on column analytics.package_statements.path is 'Folder of the package in the repository; null if the object has none.';
comment on column analytics.package_statements.source_hash is 'Hash of the source; null if the object has none.';
comment on column analytics.package_statements.report is 'The https url of the report; null if the object has none.';
comment on column analytics.package_statements.issuer is 'The person or program that issued it for the attester; null if the object has none.';
comment on column analytics.package_statements.read_at is 'When the object was read last.';

create view analytics.canary_ops as
select c.network, c.service_type, c.publisher, o.op, o.position, o.state, o.since, o.tried_at, o.untried,
  o.runs -> -1 -> 'outcomes' as outcomes
from public.canaries c
join public.canary_ops o on o.network = c.network and o.service_type = c.service_type and o.publisher = c.publisher;

comment on view analytics.canary_ops is 'Operations of entries whose publisher is verified, as simulations show them: life, not safety.';
comment on column analytics.canary_ops.network is 'testnet or mainnet.';
comment on column analytics.canary_ops.service_type is 'Service of the operation.';
comment on column analytics.canary_ops.publisher is 'Publisher of the listing.';
comment on column analytics.canary_ops.op is 'module::function, with #2 behind it for the second operation of that function.';
comment on column analytics.canary_ops.position is 'Position in the operations of the manifest, from 0.';
comment on column analytics.canary_ops.state is 'up, degraded (fails for some amounts), down, or unproven: no simulation ever worked, which says nothing against it.';
comment on column analytics.canary_ops.since is 'Since when it has the state.';
comment on column analytics.canary_ops.tried_at is 'When it was last simulated; null before the first time.';
comment on column analytics.canary_ops.untried is 'Why it was not simulated the last time; null if it was.';
comment on column analytics.canary_ops.outcomes is 'Results of the last simulation, one for each amount: amount, failure (null if it worked), gas, coinIn, taken, coinOut, brought.';

create view analytics.canary_days as
select network, service_type, publisher, op, day, worked, failed
from public.canary_days;

comment on view analytics.canary_days is 'Simulated calls of operations by day (UTC), for 90 days.';
comment on column analytics.canary_days.network is 'testnet or mainnet.';
comment on column analytics.canary_days.service_type is 'Service of the operation.';
comment on column analytics.canary_days.publisher is 'Publisher of the listing.';
comment on column analytics.canary_days.op is 'The operation, as in canary_ops.';
comment on column analytics.canary_days.day is 'The day.';
comment on column analytics.canary_days.worked is 'Calls that worked.';
comment on column analytics.canary_days.failed is 'Calls that failed.';

create view analytics.coins as
select network, coin_type, symbol, decimals, name, state, checked_at
from public.coins;

comment on view analytics.coins is 'Every coin that counted actions moved, grants or manifests of verified publishers name, or jobs were paid in, with what it says of itself.';
comment on column analytics.coins.network is 'testnet or mainnet.';
comment on column analytics.coins.coin_type is 'Type of the coin: the only thing that says which coin it is.';
comment on column analytics.coins.symbol is 'As the maker of the coin chose it, where it is plain, else the last part of the type; null where the coin has no metadata, or until it was read.';
comment on column analytics.coins.decimals is 'Base units of one coin are 10 to the power of it; null like the symbol.';
comment on column analytics.coins.name is 'As the maker of the coin chose it, up to 64 characters.';
comment on column analytics.coins.state is 'pending, found, or absent where the coin has no metadata.';
comment on column analytics.coins.checked_at is 'When the node last said so; null while it is pending.';

create view analytics.service_coin_days as
select d.network, d.service_type, d.day, d.coin, d.actions, d.taken, d.brought, c.symbol, c.decimals
from public.service_coin_days d
left join public.coins c on c.network = d.network and c.coin_type = d.coin;

comment on view analytics.service_coin_days is 'What services moved by day: one row for each day, service and coin.';
comment on column analytics.service_coin_days.network is 'testnet or mainnet.';
comment on column analytics.service_coin_days.service_type is 'Service that was used.';
comment on column analytics.service_coin_days.day is 'Day in UTC.';
comment on column analytics.service_coin_days.coin is 'Type of the coin.';
comment on column analytics.service_coin_days.actions is 'Actions that moved the coin.';
comment on column analytics.service_coin_days.taken is 'What left wallets, in base units.';
comment on column analytics.service_coin_days.brought is 'What came into wallets, in base units.';
comment on column analytics.service_coin_days.symbol is 'Of the coin, as in coins: two coins may have the same.';
comment on column analytics.service_coin_days.decimals is 'Of the coin; null where it has no metadata, or until it was read.';

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
comment on column analytics.sources.source is 'Kind of events: registry, wallet, rules, agents, escrow or statements.';
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

create view analytics.listing_versions as
select
  network, service_type, publisher, version, listed, package_id, manifest_uri, manifest_hash,
  "timestamp" as occurred_at, checkpoint, tx_index, event_index
from public.listing_versions;

comment on view analytics.listing_versions is 'Every version of every listing: one row for each registration, update and unlisting, in the order (checkpoint, tx_index, event_index).';
comment on column analytics.listing_versions.network is 'testnet or mainnet.';
comment on column analytics.listing_versions.service_type is 'Service type of the listing.';
comment on column analytics.listing_versions.publisher is 'Address that registered it.';
comment on column analytics.listing_versions.version is 'Of the listing, counted by the registry.';
comment on column analytics.listing_versions.listed is 'False: this version is an unlisting.';
comment on column analytics.listing_versions.package_id is 'Package that the version points at; null for an unlisting.';
comment on column analytics.listing_versions.manifest_uri is 'Registered place of the manifest; null for an unlisting.';
comment on column analytics.listing_versions.manifest_hash is 'Registered sha256 of the manifest, lower-case hex; null for an unlisting.';
comment on column analytics.listing_versions.occurred_at is 'Timestamp of the checkpoint.';
comment on column analytics.listing_versions.checkpoint is 'Sequence number of the checkpoint.';
comment on column analytics.listing_versions.tx_index is 'Position of the transaction in its checkpoint.';
comment on column analytics.listing_versions.event_index is 'Position of the event in its transaction.';

create view analytics.reviews as
select r.network, r.service_type, r.attester, r.score, r.verified, r.comment_uri, r."timestamp" as occurred_at, t.body as comment
from public.reviews r
left join public.review_texts t on t.network = r.network and t.uri = r.comment_uri
  and not exists (select from public.hidden_texts h where h.network = t.network and h.uri = t.uri);

comment on view analytics.reviews is 'The latest attestation of each attester and service, of any listing.';
comment on column analytics.reviews.network is 'testnet or mainnet.';
comment on column analytics.reviews.service_type is 'Service that was rated.';
comment on column analytics.reviews.attester is 'Address that rated it.';
comment on column analytics.reviews.score is '1 to 5.';
comment on column analytics.reviews.verified is 'The attester acted in a counted action of the service before.';
comment on column analytics.reviews.comment_uri is 'Where the comment is; may be empty.';
comment on column analytics.reviews.occurred_at is 'Timestamp of the checkpoint.';
comment on column analytics.reviews.comment is 'Text of the Walrus blob of comment_uri, which a stranger wrote; null without one, until it was read, and if the operator hid it.';

create view analytics.services as
select network, service_type, publisher, name, category, integrator, registered_at
from public.catalog_entries
where shown;

comment on view analytics.services is 'The listing that the catalog shows for each service: one row for each service that it shows, to name and group use by.';
comment on column analytics.services.network is 'testnet or mainnet.';
comment on column analytics.services.service_type is 'Service type.';
comment on column analytics.services.publisher is 'Publisher of the listing that is shown.';
comment on column analytics.services.name is 'From its verified manifest.';
comment on column analytics.services.category is 'From its verified manifest.';
comment on column analytics.services.integrator is 'From its verified manifest.';
comment on column analytics.services.registered_at is 'First registration by this publisher.';

create view analytics.publishers as
select
  network, publisher,
  count(*)::int as listings,
  (count(*) filter (where listed))::int as listed,
  (count(*) filter (where shown))::int as shown,
  count(distinct package_id)::int as packages,
  bool_or(publisher_verified) as verified,
  sum(actions)::bigint as actions,
  min(registered_at) as first_registered_at,
  max(updated_at) as last_updated_at
from analytics.adaptors
group by network, publisher;

comment on view analytics.publishers is 'Everyone who ever registered a listing.';
comment on column analytics.publishers.network is 'testnet or mainnet.';
comment on column analytics.publishers.publisher is 'Address.';
comment on column analytics.publishers.listings is 'Listings that it ever registered.';
comment on column analytics.publishers.listed is 'Of these, listings that are not unlisted.';
comment on column analytics.publishers.shown is 'Of these, listings that the catalog shows by default.';
comment on column analytics.publishers.packages is 'Packages that its listings point at now.';
comment on column analytics.publishers.verified is 'It published the package of at least one listing, or owns its UpgradeCap.';
comment on column analytics.publishers.actions is 'Counted uses of the services of its listings, of which another publisher may have listings too.';
comment on column analytics.publishers.first_registered_at is 'Its first registration.';
comment on column analytics.publishers.last_updated_at is 'Last registration, update or unlisting.';

create view analytics.days as
select network, day::date as day
from (
  select network, min("timestamp") at time zone 'UTC' as first_at from (
    select network, "timestamp" from public.listing_versions
    union all select network, created_at from public.wallets
    union all select network, day::timestamp at time zone 'UTC' from public.service_days
  ) known group by network
) firsts
cross join lateral generate_series(date_trunc('day', first_at), now() at time zone 'UTC', interval '1 day') as day;

comment on view analytics.days is 'Every UTC day of each network, from its first listing, wallet or use until today: join it for days on which nothing happened.';
comment on column analytics.days.network is 'testnet or mainnet.';
comment on column analytics.days.day is 'Day in UTC.';

create view analytics.listing_days as
select
  network, ("timestamp" at time zone 'UTC')::date as day,
  (count(*) filter (where listed and first_of_publisher))::int as registered,
  (count(*) filter (where listed and not first_of_publisher))::int as updated,
  (count(*) filter (where not listed))::int as unlisted
from (
  select network, "timestamp", listed,
    row_number() over (partition by network, service_type, publisher order by checkpoint, tx_index, event_index) = 1
      as first_of_publisher
  from public.listing_versions
) versions
group by 1, 2;

comment on view analytics.listing_days is 'Listings over time: one row for each day with a registration, an update or an unlisting.';
comment on column analytics.listing_days.network is 'testnet or mainnet.';
comment on column analytics.listing_days.day is 'Day in UTC.';
comment on column analytics.listing_days.registered is 'First registrations by their publisher.';
comment on column analytics.listing_days.updated is 'Later registrations and updates.';
comment on column analytics.listing_days.unlisted is 'Unlistings.';

create view analytics.service_first_uses as
select l.network, l.service_type, l.listed_at, u.first_action_at,
  case when u.first_action_at is not null then greatest(u.first_action_at - l.listed_at, interval '0') end
    as time_to_first_use
from (
  select network, service_type, min(registered_at) as listed_at from public.listings group by 1, 2
) l
left join (
  select network, service_type, min("timestamp") as first_action_at from public.service_actions group by 1, 2
) u using (network, service_type);

comment on view analytics.service_first_uses is 'How long services wait for their first use: one row for each service that was ever listed.';
comment on column analytics.service_first_uses.network is 'testnet or mainnet.';
comment on column analytics.service_first_uses.service_type is 'Service type.';
comment on column analytics.service_first_uses.listed_at is 'First registration by anyone.';
comment on column analytics.service_first_uses.first_action_at is 'First counted use; null without any.';
comment on column analytics.service_first_uses.time_to_first_use is 'From the first registration to the first use; zero if it was used before, null without any use.';

create view analytics.service_grant_changes as
select
  network,
  data ->> 'walletId' as wallet_id,
  data ->> 'service' as service_type,
  data ->> 'coin' as coin,
  case name when 'ServiceGranted' then 'granted' else 'revoked' end as change,
  (data ->> 'allowance')::numeric as allowance,
  "timestamp" as occurred_at,
  checkpoint, tx_index, event_index
from public.events
where source = 'wallet' and name in ('ServiceGranted', 'ServiceCoinRevoked', 'ServiceRevoked') and data is not null;

comment on view analytics.service_grant_changes is 'Every grant of a wallet to a service, and every end of one: also of grants that service_grants no longer has.';
comment on column analytics.service_grant_changes.network is 'testnet or mainnet.';
comment on column analytics.service_grant_changes.wallet_id is 'Id of the wallet object.';
comment on column analytics.service_grant_changes.service_type is 'Service that was granted to.';
comment on column analytics.service_grant_changes.coin is 'Coin type; null where the grants of all coins were revoked.';
comment on column analytics.service_grant_changes.change is 'granted (also when it was set again) or revoked.';
comment on column analytics.service_grant_changes.allowance is 'Base units that were granted; null for an end, and where the package of the wallet bounds no grant.';
comment on column analytics.service_grant_changes.occurred_at is 'Timestamp of the checkpoint.';
comment on column analytics.service_grant_changes.checkpoint is 'Sequence number of the checkpoint.';
comment on column analytics.service_grant_changes.tx_index is 'Position of the transaction in its checkpoint.';
comment on column analytics.service_grant_changes.event_index is 'Position of the event in its transaction.';

create view analytics.grant_uses as
select g.network, g.wallet_id, g.service_type, g.granted_at, u.first_action_at, coalesce(u.actions, 0) as actions,
  exists (
    select from public.service_grants s
    where s.network = g.network and s.wallet_id = g.wallet_id and s.service_type = g.service_type
  ) as in_force
from (
  select network, wallet_id, service_type, min(occurred_at) as granted_at
  from analytics.service_grant_changes where change = 'granted' group by 1, 2, 3
) g
left join (
  select network, wallet_id, service_type, min("timestamp") as first_action_at, count(*) as actions
  from public.service_actions group by 1, 2, 3
) u using (network, wallet_id, service_type);

comment on view analytics.grant_uses is 'From grant to use: one row for each wallet and service that it ever granted to.';
comment on column analytics.grant_uses.network is 'testnet or mainnet.';
comment on column analytics.grant_uses.wallet_id is 'Id of the wallet object.';
comment on column analytics.grant_uses.service_type is 'Service that was granted to.';
comment on column analytics.grant_uses.granted_at is 'First grant.';
comment on column analytics.grant_uses.first_action_at is 'First counted use of the service by the wallet; null without any.';
comment on column analytics.grant_uses.actions is 'Counted uses of the service by the wallet.';
comment on column analytics.grant_uses.in_force is 'The wallet grants it something now.';

create view analytics.wallet_retention as
select first.network, first.week as first_week, (active.week - first.week) / 7 as weeks_later, count(*)::int as wallets
from (
  select distinct network, wallet_id, date_trunc('week', "timestamp" at time zone 'UTC')::date as week from public.service_actions
) active
join (
  select network, wallet_id, min(date_trunc('week', "timestamp" at time zone 'UTC')::date) as week
  from public.service_actions group by 1, 2
) first using (network, wallet_id)
group by 1, 2, 3;

comment on view analytics.wallet_retention is 'Weekly retention of wallets: of those whose first counted use was in a week, how many used any service so many weeks later.';
comment on column analytics.wallet_retention.network is 'testnet or mainnet.';
comment on column analytics.wallet_retention.first_week is 'Monday of the week (UTC) of the first use.';
comment on column analytics.wallet_retention.weeks_later is '0 is the same week, whose row has all of the wallets.';
comment on column analytics.wallet_retention.wallets is 'Wallets with a counted use in that later week.';

create view analytics.review_scores as
select network, service_type, score, count(*)::int as reviews, (count(*) filter (where verified))::int as verified_reviews
from public.reviews
group by 1, 2, 3;

comment on view analytics.review_scores is 'Distribution of reviews: one row for each service and score that someone gave last.';
comment on column analytics.review_scores.network is 'testnet or mainnet.';
comment on column analytics.review_scores.service_type is 'Service that was rated.';
comment on column analytics.review_scores.score is '1 to 5.';
comment on column analytics.review_scores.reviews is 'Attesters whose latest score it is.';
comment on column analytics.review_scores.verified_reviews is 'Of these, attesters who acted through the service before.';

create view analytics.agent_earnings as
select network, agent, coin, jobs, amount, first_paid_at, last_paid_at, c.symbol, c.decimals
from (
  select network, provider as agent, coin, count(*)::int as jobs, sum(amount) as amount,
    min(released_at) as first_paid_at, max(released_at) as last_paid_at
  from public.jobs
  where state = 3
  group by 1, 2, 3
) e
left join (select network, coin_type as coin, symbol, decimals from public.coins) c using (network, coin);

comment on view analytics.agent_earnings is 'What providers earned by escrow jobs, registered as agents or not: one row for each of them and coin.';
comment on column analytics.agent_earnings.network is 'testnet or mainnet.';
comment on column analytics.agent_earnings.agent is 'Address of the provider.';
comment on column analytics.agent_earnings.coin is 'Coin type; null where the chain has not been asked yet.';
comment on column analytics.agent_earnings.jobs is 'Jobs whose money was released.';
comment on column analytics.agent_earnings.amount is 'Sum in base units.';
comment on column analytics.agent_earnings.first_paid_at is 'When the first of them was paid.';
comment on column analytics.agent_earnings.last_paid_at is 'When the last of them was paid.';
comment on column analytics.agent_earnings.symbol is 'Of the coin, as in coins: two coins may have the same.';
comment on column analytics.agent_earnings.decimals is 'Of the coin; null where it has no metadata, or until it was read.';
