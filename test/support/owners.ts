/** SQL for a market whose owners have paid, and have used its listings. */

const network = 'testnet';

/** Address that the operator of the market names as independent of publishers. */
export const payee = `0x${'fa'.repeat(32)}`;

/** Owners of the market's wallets. Each listing was used by 0 to 49 of them. */
const ownerCount = 20_000;

/** SQL for the owners with what they paid to the payee: 0 to 300 SUI each. They have wallets for a year. */
export const insertOwners = `with named as (
    insert into ranking_payees (network, address) values ('${network}', '${payee}') on conflict do nothing)
  insert into owner_payments (network, owner, recipient, paid)
  select '${network}', 'owner' || n, '${payee}', (n * 7919 % 301) * 1000000000::numeric from generate_series(1, ${ownerCount}) n
  on conflict do nothing`;

/**
 * SQL statements for use and reviews of listings.
 * @param listings `from` item with their numbers `n` and `"serviceType"`
 */
export const insertUse = (listings: string): string[] => [
  `insert into service_usage (network, service_type, actions, unique_vaults, last_action_at)
    select '${network}', "serviceType", (n * 7919) % 5000, n % 50, now() from ${listings}`,
  `insert into rank_credits (network, subject, is_agent, owner, uses, wallet_at, first_use_at, last_use_at)
    select '${network}', "serviceType", false, 'owner' || 1 + (n * 7919::bigint + o * 104729) % ${ownerCount},
      greatest(1, (n * 7919) % 5000 / (n % 50)), now() - interval '1 year', now() - interval '1 month', now()
    from ${listings} cross join generate_series(1, n % 50) o`,
  `insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri,
      "timestamp", verified)
    select '${network}', "serviceType", '0x' || lpad(to_hex(r), 64, '0'), 2, n, r, 1 + (n + r) % 5, '', now(), r = 1
    from ${listings} cross join generate_series(1, n % 4) r`,
];

/**
 * SQL statements for agents, most of whom some of the owners hired.
 * @param count number of agents: the nth has n modulo 50 hirers with 1 to 20 completed jobs each
 */
export const insertAgents = (count: number): string[] => [
  `insert into agents (network, agent, name, description, skills, version, listed, registered_at, updated_at, completed_jobs)
    select '${network}', 'agent' || n, 'Agent ' || n, '', '{}', 1, true, now(), now(), 0 from generate_series(1, ${count}) n`,
  `insert into rank_credits (network, subject, is_agent, owner, uses, wallet_at, first_use_at, last_use_at)
    select '${network}', 'agent' || n, true, 'owner' || 1 + (n * 7919::bigint + o * 104729) % ${ownerCount},
      1 + (n + o * 7) % 20, now() - interval '1 year', now() - interval '1 month', now()
    from generate_series(1, ${count}) n cross join generate_series(1, n % 50) o`,
];
