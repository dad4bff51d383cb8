import type { Database } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DemoFile } from '../../services/demo/file.ts';
import { SUI } from '../../services/demo/publish.ts';
import { largestListing } from '../listings/largest.ts';
import { fillCatalog, storeListings } from '../listings/listings.ts';

/** Ids of what has the most below it. */
export const largest = {
  listing: largestListing(0),
  agent: `0x${'a9'.repeat(32)}`,
  job: `0x${'b9'.repeat(32)}`,
};

const listingsMany = 1_000;
const largestMany = 120;
const rowsMany = 5_000;
const hex = (prefix: string) => `'0x' || lpad('${prefix}' || to_hex(n), 64, '0')`;
const text = (bytes: number) => `rpad(n || ' <&"\\ é ', ${bytes}, 'x')`;
const uri = `'https://x.example/' || ${text(480)}`;

/**
 * Fills the read model with the largest data that the contracts and the indexer accept: manifests of 256 KiB, texts at their
 * bounds, and lists that are longer than any answer. The wallet of the demo grants the largest listings.
 */
export async function fill({ db, demo }: { db: Database; demo: DemoFile }): Promise<void> {
  await fillCatalog(db, listingsMany);
  for (let from = 0; from < largestMany; from += 10) {
    const some = Array.from({ length: 10 }, (_, at) => largestListing(from + at));
    await inTransaction(db.pool, (client) => storeListings(client, some, listingsMany + from));
  }
  const { listing, agent, job } = largest;
  const { owner, agent: delegate } = demo;
  const rows = `from generate_series(1, ${rowsMany}) n`;
  const statements: [string, unknown[]?][] = [
    [
      `insert into service_grants (network, wallet_id, service_type, coin, allowance, granted_at, first_granted_at)
        select 'testnet', $1, service_type, $2, 5, now(), now() from listings where publisher like '0x%ee00__' on conflict do nothing`,
      [owner.walletId, SUI],
    ],
    [
      `insert into delegate_allowances (network, wallet_id, delegate, kind, key, amount)
        select 'testnet', $1, $2, 'service', service_type, 5 from listings where publisher like '0x%ee00__'
        on conflict do nothing`,
      [owner.walletId, delegate.address],
    ],
    [
      `insert into agent_adaptors (network, service_type, publisher, version, package_id, manifest_hash, confirmed_at)
        select network, service_type, publisher, version, package_id, $1, now() from listings where publisher like '0x%ee00__'
        on conflict do nothing`,
      [listing.hash],
    ],
    [
      `insert into wallets (network, wallet_id, owner, identity, created_at, created_checkpoint, created_tx_index, created_event_index)
        select 'testnet', ${hex('c')}, $1, ${hex('c')}, now(), 1, n, 0 ${rows}`,
      [owner.address],
    ],
    [
      `insert into delegates (network, wallet_id, delegate, added_at)
        select 'testnet', $1, ${hex('d')}, now() ${rows}`,
      [owner.walletId],
    ],
    [
      `insert into agents (network, agent, name, description, skills, card_url, version, listed, registered_at, updated_at, completed_jobs)
        select 'testnet', case n when 1 then $1 else ${hex('a')} end, ${text(60)}, ${text(500)},
          array(select ${text(44)} || s from generate_series(1, 16) s), ${uri}, 1, true, now(), now(), n ${rows}`,
      [agent],
    ],
    [
      `insert into jobs (network, job_id, wallet_id, provider, payer, coin, amount, state, brief, note, assessor_type, created_at,
          created_checkpoint, created_tx_index, created_event_index)
        select 'testnet', case n when 1 then $3 else ${hex('b')} end, ${hex('c')}, $1, $2, $4, 5, 0, ${text(1_000)},
          ${text(1_000)}, $5, now(), 1, n, 0 ${rows}`,
      [agent, owner.address, job, SUI, `${agent}::cap_assessor::CapAssessor`],
    ],
    [
      `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed, package_id,
          manifest_uri, manifest_hash, timestamp)
        select 'testnet', 2, 1000000 + n, 0, $1, $2, n + 1, true, $3, ${uri}, hashes.hash, now() ${rows} join lateral (
          select ($4::text[])[1 + n % 20] as hash) hashes on true`,
      [
        listing.serviceType,
        listing.publisher,
        listing.packageId,
        Array.from({ length: 20 }, (_, n) => largestListing(n).hash),
      ],
    ],
    [
      `insert into attestations (network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri, timestamp)
        select 'testnet', 3, 1000000 + n, 0, $1, ${hex('e')}, 5, ${uri}, now() ${rows}`,
      [listing.serviceType],
    ],
    [
      `insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri, timestamp, verified)
        select 'testnet', $1, ${hex('e')}, 3, n, 0, 5, ${uri}, now(), true ${rows}`,
      [listing.serviceType],
    ],
    [
      `insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data, contents)
        select 'testnet', 4, 1000000 + n, 0, 'registry', 'd' || n, $2, now(), $3, 'Updated', jsonb_build_object('serviceType', $1::text,
          'publisher', $2::text, 'manifestUri', ${uri}, 'manifestHash', $4::text, 'version', n), '' ${rows}`,
      [listing.serviceType, listing.publisher, `${demo.packages.registry}::registry::Updated`, listing.hash],
    ],
    [
      `insert into service_days (network, service_type, day, actions, wallets)
        select 'testnet', $1, current_date - n, 9, 9 from generate_series(0, 800) n`,
      [listing.serviceType],
    ],
    [
      `insert into service_coin_days (network, service_type, day, coin, actions, taken, brought)
        select 'testnet', $1, current_date - n, ${hex('f')} || '::' || repeat('c', 120) || '::' || repeat('C', 120) || coin, 9, 9, 9
          from generate_series(0, 400) n, generate_series(1, 20) coin`,
      [listing.serviceType],
    ],
    [
      `insert into pictures (network, subject, url, picture, media_type, next_check_at, check_ready)
        select 'testnet', subject, 'data:', decode(repeat('ff', 65536), 'hex'), 'image/png', now() + interval '1 day', false
          from unnest($1::text[]) subject
        on conflict (network, subject) do update set picture = excluded.picture, media_type = excluded.media_type`,
      [[SUI, listing.publisher]],
    ],
    [
      `insert into rules (network, rule_type, publisher, raw_rule_type, kind, package_id, manifest_uri, manifest_hash, version, listed,
          registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at, publisher_check, witness_check)
        select 'testnet', ${hex('1')} || '::' || repeat('r', 90) || '::' || repeat('R', 90), $1, 'raw', 'caveat', ${hex('1')}, ${uri},
          lpad(n::text, 64, '0'), 1, true, now(), 1, n, 0, now(), 'verified', 'valid' ${rows}`,
      [listing.publisher],
    ],
  ];
  for (const [statement, values] of statements) await db.pool.query(statement, values);
  await db.pool.query('vacuum analyze');
}
