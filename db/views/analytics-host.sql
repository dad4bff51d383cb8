-- For the operator's analysts: what this host did, as against what is on the chain. Never reachable over HTTP.

drop schema if exists analytics_host cascade;
create schema analytics_host;
comment on schema analytics_host is 'Read-only views of what this host did: use of keys, webhooks, agent runs. Not on the chain, and not for its users.';

create view analytics_host.key_usage as
select day, key_id, integrator, requests
from public.key_usage;

comment on view analytics_host.key_usage is 'Requests that API keys were good for: one row for each day and key with any.';
comment on column analytics_host.key_usage.day is 'Day in UTC.';
comment on column analytics_host.key_usage.key_id is 'Id of the key, as the host lists it; never the key itself.';
comment on column analytics_host.key_usage.integrator is 'Whom the host issued the key to.';
comment on column analytics_host.key_usage.requests is 'Requests within the key''s limit. Some seconds behind; a gateway that is killed loses its last two.';

create view analytics_host.webhook_deliveries as
select
  d.subscription,
  d.retry as delivery,
  split_part(d.stream, '.', 1) as network,
  d.event,
  coalesce(e.tx_digest || ':' || e.event_index, 'svc_' || s.number) as event_id,
  d.state,
  d.attempts,
  coalesce(e.timestamp, s.timestamp) as occurred_at,
  d.created_at as queued_at,
  d.due_at,
  d.ended_at,
  d.last_outcome,
  d.last_status
from (
  select subscription, id as retry, stream, checkpoint, tx_index, event_index, event, 'pending' as state,
    attempts::integer as attempts, created_at, due_at, null::timestamptz as ended_at,
    earlier->-1->>'outcome' as last_outcome, (earlier->-1->>'status')::smallint as last_status
  from public.webhook_retries
  union all
  select subscription, retry, stream, checkpoint, tx_index, event_index, event,
    case outcome when 'delivered' then 'delivered' else 'failed' end,
    1 + coalesce(jsonb_array_length(earlier), 0), created_at, null, ended_at, outcome, status
  from public.webhook_log
) d
left join public.events e on e.network = d.stream and e.checkpoint = d.checkpoint and e.tx_index = d.tx_index
  and e.event_index = d.event_index
left join public.service_events s on s.number = d.checkpoint and s.network || '.service' = d.stream;

comment on view analytics_host.webhook_deliveries is 'Attempts to send events of the registry and of the service to subscribers: one row for each event and subscription that was attempted or asked for, kept for 30 days and at most the latest 10,000 of a subscription. Events that wait for their first attempt have no row.';
comment on column analytics_host.webhook_deliveries.subscription is 'Webhook subscription.';
comment on column analytics_host.webhook_deliveries.delivery is 'Number of the delivery; null where the first attempt settled it.';
comment on column analytics_host.webhook_deliveries.network is 'testnet or mainnet.';
comment on column analytics_host.webhook_deliveries.event is 'Name of the event, such as Registered or Quarantined; Test for a test event.';
comment on column analytics_host.webhook_deliveries.event_id is 'Transaction digest and index of the event in it, or svc_ and the number of an event of the service; null for a test event.';
comment on column analytics_host.webhook_deliveries.state is 'pending (it failed or was asked for, and is sent again), delivered, or failed: no attempt is left.';
comment on column analytics_host.webhook_deliveries.attempts is 'Attempts whose end is known.';
comment on column analytics_host.webhook_deliveries.occurred_at is 'Timestamp of the checkpoint that holds the event, or when the service added it; null for a test event.';
comment on column analytics_host.webhook_deliveries.queued_at is 'When the first attempt was stored, or the delivery was asked for.';
comment on column analytics_host.webhook_deliveries.due_at is 'When it is sent next; null when it is not.';
comment on column analytics_host.webhook_deliveries.ended_at is 'When the last attempt was stored; null while it is pending.';
comment on column analytics_host.webhook_deliveries.last_outcome is 'How the last attempt ended: delivered, http_status, redirect, timeout, network, forbidden_address, forbidden_url, too_large, encoded_body, or missing_event: nothing was sent, because the event is gone.';
comment on column analytics_host.webhook_deliveries.last_status is 'HTTP status of the last attempt; null where none came.';

create view analytics_host.webhook_health as
select
  s.subscription, s.owner, s.added_at, s.failing_since, s.held_until, s.lost_at, s.removed_at,
  coalesce(l.delivered, 0)::int as delivered_last_day,
  coalesce(l.failed, 0)::int as failed_last_day,
  coalesce(r.pending, 0)::int as pending,
  l.median_ms
from public.webhook_subscriptions s
left join (
  select subscription, count(*) filter (where outcome = 'delivered') as delivered,
    count(*) filter (where outcome <> 'delivered') as failed,
    percentile_cont(0.5) within group (order by duration_ms) as median_ms
  from public.webhook_log where ended_at > now() - interval '1 day' group by 1
) l using (subscription)
left join (select subscription, count(*) as pending from public.webhook_retries group by 1) r using (subscription);

comment on view analytics_host.webhook_health is 'How webhook subscriptions fare: one row for each that the dispatcher ever had.';
comment on column analytics_host.webhook_health.subscription is 'Webhook subscription.';
comment on column analytics_host.webhook_health.owner is 'Id of the API key that made it; null where that was not stored.';
comment on column analytics_host.webhook_health.added_at is 'When it was made.';
comment on column analytics_host.webhook_health.failing_since is 'First of the failures since the last success; null after a success.';
comment on column analytics_host.webhook_health.held_until is 'No first attempts before, since the receiver was overloaded.';
comment on column analytics_host.webhook_health.lost_at is 'Since when the key-value store has no record of it; null while it has one.';
comment on column analytics_host.webhook_health.removed_at is 'When its owner deleted it, or its loss was accepted.';
comment on column analytics_host.webhook_health.delivered_last_day is 'Deliveries that succeeded in the last 24 hours.';
comment on column analytics_host.webhook_health.failed_last_day is 'Deliveries that were given up in the last 24 hours.';
comment on column analytics_host.webhook_health.pending is 'Deliveries that are sent again, tests and resends included.';
comment on column analytics_host.webhook_health.median_ms is 'Median duration of the last attempts of the last 24 hours, in milliseconds.';

create view analytics_host.agent_runs as
select
  id as run_id, network, wallet_id, owner, action, caller, attempt, state, code, agent, sender, digest, gas_charged,
  started_at, signed_at, ended_at, ended_at - started_at as duration
from public.agent_runs;

comment on view analytics_host.agent_runs is 'Actions that the agent of this host was asked to run and took on.';
comment on column analytics_host.agent_runs.run_id is 'Id of the run.';
comment on column analytics_host.agent_runs.network is 'testnet or mainnet.';
comment on column analytics_host.agent_runs.wallet_id is 'Wallet that it acts for.';
comment on column analytics_host.agent_runs.owner is 'Owner of the wallet, as the request names them.';
comment on column analytics_host.agent_runs.action is 'Action that was requested.';
comment on column analytics_host.agent_runs.caller is 'Who requested it: key:<id>, internal or session:<address>.';
comment on column analytics_host.agent_runs.attempt is 'From 1: attempts under the same request id.';
comment on column analytics_host.agent_runs.state is 'running, signed, unknown, done or failed.';
comment on column analytics_host.agent_runs.code is 'Why it failed, one stable word; null where it did not.';
comment on column analytics_host.agent_runs.agent is 'Address of the managed key, which pays the gas.';
comment on column analytics_host.agent_runs.sender is 'Address that acts for the wallet; null until it is chosen.';
comment on column analytics_host.agent_runs.digest is 'Transaction; null before it is signed.';
comment on column analytics_host.agent_runs.gas_charged is 'MIST that the chain charged, less rebates; null until it is known.';
comment on column analytics_host.agent_runs.started_at is 'When the run began.';
comment on column analytics_host.agent_runs.signed_at is 'When its transaction was signed.';
comment on column analytics_host.agent_runs.ended_at is 'When it ended; null while it is open.';
comment on column analytics_host.agent_runs.duration is 'From its begin to its end.';
