import type { Pool } from 'pg';

/** Number of rows at which a full scan, or another index, costs more than the pages of a list. */
export const manyRows = 20_000;
const filled: Record<string, string> = {
  events: `select 'testnet', n, 0, 0,
    case n % 20 when 0 then 'rules' when 1 then 'agents' when 2 then 'escrow' when 3 then 'registry' else 'wallet' end,
    'd' || n, 's' || n % 300, now() - n * interval '1 second', 't',
    case n % 2 when 0 then 'SpendConfirmed' else 'Other' end, jsonb_build_object('walletId', 'w' || n % 100, 'jobId', 'j' || n % 100, 'capId', 'c' || n % 100,
      'ruleType', 'r' || n % 100, 'allowlistId', 'l' || n % 100, 'agent', 'a' || n % 100), '', null`,
  attestations: `select 'testnet', n, 0, 0, 'type' || n % 100, 'a' || n, 5, '', now()`,
  listing_versions: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p', 1, true, now()`,
  jobs: `select 'testnet', n, 0, 0, 'j' || n, 'w' || n % 90, 'a' || n % 90, 'a' || n % 80, n % 5, 't', now()`,
  wallets: `select 'testnet', n, 0, 0, 'w' || n, 'a' || n % 80, 'i' || n, now()`,
  service_actions: `select 'testnet', n, 0, 0, 'type' || n % 100, 'w' || n % 90, '{}', now()`,
  listings: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p' || n, 'raw', 'pkg' || n, 'uri', 'h' || n % 2000, 1, true, now(),
    now()`,
  catalog_entries: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p' || n, 'pkg' || n, 'uri', 'h' || n % 2000, 1, n <= 100, true,
    '[]', '[]', 'name', 'c', 'i' || n % 20, '{}', '', 1, now(), now()`,
  reviews: `select 'testnet', n, 0, 0, 'type' || n % 100, 'a' || n, 5, '', now(), true`,
  caps: `select 'testnet', n, 0, 0, 'c' || n, 'bearer', 'w' || n % 90, 'a' || n % 90, 'c' || n % 90, now()`,
  allowlists: `select 'testnet', n, 0, 0, 'l' || n, 'w' || n % 90, now()`,
  allowlist_recipients: `select 'testnet', 'l' || n % 90, 'a' || n, now()`,
  delegates: `select 'testnet', 'w' || n % 90, 'a' || n, now()`,
  service_grants: `select 'testnet', 'w' || n % 90, 'type' || n, 'coin', now(), now()`,
  rules: `select 'testnet', n, 0, 0, 'type' || n % 10000, case when n > 10000 then 'p' else 'q' end || n % 100, 'raw', 'caveat', 'pkg', 'uri', 'h', 1, true, now(), now(), 'verified',
    'valid'`,
  agents: `select 'testnet', 'a' || n, 'n' || n, 'd', '{}', 1, true, now(), now(), n % 50, n % 50`,
  provider_earnings: `select 'testnet', 'a' || n % 90, 'coin' || n, 1, 1`,
  policies: `select 'testnet', 'w' || n, 1, now()`,
  policy_rules: `select 'testnet', 'w' || n, 'caveat', 'type' || n % 100, now()`,
  manifests: `select 'h' || n - 1, '{}'`,
  manifest_fetches: `select 'testnet', 'h' || n, 'uri', 'verified'`,
  delegate_allowances: `select 'testnet', 'w' || n % 90, 'a' || n, 'coin', 'coin', 1`,
  service_days: `select 'testnet', 'type' || n % 100, current_date - n / 100, 1, 1`,
  review_texts: `select 'testnet', 'uri' || n, 'a' || n, null::timestamptz`,
  hidden_texts: `select 'testnet', 'uri' || n, 'reason', 'operator'`,
  quarantines: `select 'testnet', 'q' || n, n, 'reason', now()`,
  service_events: `select n, 'testnet', 'Quarantined', case when n % 2 = 0 then 'type' || n % 100 end,
    case when n % 2 = 1 then 'p' || n end, now() - n * interval '1 second', '{}'`,
  service_rating_days: `select 'testnet', 'type' || n % 100, current_date - n / 100, 1, 5`,
  service_coin_days: `select 'testnet', 'type' || n % 100, current_date - n / 100, 'coin', 1, 1, 1`,
};
const registered =
  'network, registered_checkpoint, registered_tx_index, registered_event_index, service_type, publisher';
const columnsByTable: Record<string, string> = {
  events: `network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data, contents,
    decode_error`,
  attestations:
    'network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri, timestamp',
  listing_versions:
    'network, checkpoint, tx_index, event_index, service_type, publisher, version, listed, timestamp',
  jobs: `network, created_checkpoint, created_tx_index, created_event_index, job_id, wallet_id, provider, payer, state,
    assessor_type, created_at`,
  wallets:
    'network, created_checkpoint, created_tx_index, created_event_index, wallet_id, owner, identity, created_at',
  service_actions: 'network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, timestamp',
  listings: `${registered}, raw_service_type, package_id, manifest_uri, manifest_hash, version, listed, registered_at, updated_at`,
  catalog_entries: `${registered}, package_id, manifest_uri, manifest_hash, version, front, publisher_verified, warnings,
    op_misfits, name, category, integrator, coins, search_text, revision, registered_at, updated_at`,
  reviews: `network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri, timestamp, verified`,
  caps: `network, minted_checkpoint, minted_tx_index, minted_event_index, cap_id, kind, wallet_id, recipient, parent, minted_at`,
  allowlists: `network, created_checkpoint, created_tx_index, created_event_index, allowlist_id, wallet_id, created_at`,
  allowlist_recipients: 'network, allowlist_id, recipient, added_at',
  delegates: 'network, wallet_id, delegate, added_at',
  service_grants: 'network, wallet_id, service_type, coin, granted_at, first_granted_at',
  rules: `network, registered_checkpoint, registered_tx_index, registered_event_index, rule_type, publisher, raw_rule_type,
    kind, package_id, manifest_uri, manifest_hash, version, listed, registered_at, updated_at, publisher_check, witness_check`,
  agents:
    'network, agent, name, description, skills, version, listed, registered_at, updated_at, completed_jobs, rank',
  provider_earnings: 'network, provider, coin, jobs, amount',
  policies: 'network, wallet_id, version, initialized_at',
  policy_rules: 'network, wallet_id, kind, rule, added_at',
  manifests: 'hash, body',
  review_texts: 'network, uri, attester, next_check_at',
  hidden_texts: 'network, uri, reason, operator',
  manifest_fetches: 'network, hash, uri, status',
  delegate_allowances: 'network, wallet_id, delegate, kind, key, amount',
  service_days: 'network, service_type, day, actions, wallets',
  quarantines: 'network, subject, action, reason, since',
  service_events: 'number, network, name, service_type, publisher, timestamp, data',
  service_rating_days: 'network, service_type, day, ratings, score_sum',
  service_coin_days: 'network, service_type, day, coin, actions, taken, brought',
};

/** Fills the tables behind the lists, and updates the planner's statistics. */
export async function fillManyRows(pool: Pool): Promise<void> {
  for (const [table, select] of Object.entries(filled)) {
    await pool.query(
      `insert into ${table} (${columnsByTable[table]}) ${select} from generate_series(1, ${manyRows}) n`,
    );
  }
  // The events of one large service, and of a registry with many senders.
  await pool.query(
    `insert into attestations (${columnsByTable.attestations})
     select 'testnet', 100000 + n, 0, 0, 'large', 'a' || n, 5, '', now() from generate_series(1, ${manyRows}) n`,
  );
  await pool.query(
    `insert into events (${columnsByTable.events})
     select 'testnet', 100000 + n, 0, 0, 'registry', 'd' || n, 's' || n, now(), 't', 'Other', null, '', null
     from generate_series(1, ${manyRows}) n`,
  );
  await pool.query('vacuum analyze');
}
