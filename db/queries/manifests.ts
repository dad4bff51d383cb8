import type { VerifiedManifest } from '@adaptor-marketplace/adaptor/manifest';
import type { ClientBase } from 'pg';
import { lockUntilCommit } from '../lock.ts';
import { type Row, readColumns, unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import { createLookup } from './lookups.ts';
import { orderByKeys, type Queryable, toColumns } from './queryable.ts';
import { readInTurns, type Turns } from './turns.ts';
import { createWrite } from './writes.ts';

const namedColumns = ['hash', 'uri'] as const;

/** A manifest as a listing or a rule names it. */
export type ManifestRef = Pick<typeof tables.manifestFetches.$inferSelect, (typeof namedColumns)[number]>;

/**
 * Locks a network's references to manifests and the state of its manifests until the end of the transaction. Separate
 * transactions write listings, rules and fetches. Without the lock, one could delete a manifest that another has just
 * begun to name, or leave it unchecked. Take it before you change any row.
 */
export const lockManifests = (client: ClientBase, network: string): Promise<void> =>
  lockUntilCommit(client, `manifests ${network}`);

const isVerified = `listed and publisher_check = 'verified' and witness_check <> 'invalid'`;

const selectNaming = (table: string, verified: boolean) => `(
    select publisher, ${verified} as verified from ${table}
    where network = $1 and manifest_hash = c.hash and manifest_uri = c.uri ${verified ? `and ${isVerified}` : ''} limit 1)`;

/** SQL join of manifests `c` with a publisher that names each: a verified one if there is one. */
const namedBy = `cross join lateral (
    ${[true, false].flatMap((verified) => ['listings', 'rules'].map((table) => selectNaming(table, verified))).join(' union all ')}
    union all select '', false limit 1) n`;

/**
 * Updates by whom the manifests of listings or rules are named, after a check changed what is known of their publishers.
 * Fetches of verified publishers have precedence. Call it under `lockManifests`.
 */
export async function updateNamedBy(
  client: ClientBase,
  network: string,
  {
    table,
    type,
    keys,
  }: { table: string; type: string; keys: readonly { type: string; publisher: string }[] },
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: `update-named-by-${table}`,
    text: `update manifest_fetches f set publisher = c.by, verified = c.verified
      from (
        select c.hash, c.uri, n.publisher as by, n.verified from (
          select distinct l.manifest_hash as hash, l.manifest_uri as uri
          from unnest($2::text[], $3::text[]) as key (type, publisher)
          join ${table} l on l.network = $1 and l.${type} = key.type and l.publisher = key.publisher) c
        ${namedBy}) c
      where f.network = $1 and f.hash = c.hash and f.uri = c.uri and f.next_attempt_at is not null
        and (f.publisher, f.verified) is distinct from (c.by, c.verified)`,
    values: [network, ...toColumns(keys, 'type', 'publisher')],
  });
}

/**
 * Updates `manifest_fetches` after listings or rules changed: it holds exactly the manifests that the present ones
 * name. A manifest that is announced again is tried again. A verified body stays in `manifests` and is never fetched
 * again: its fetch is verified at once, and applied to all that named it before.
 * @param named manifests that the changed listings or rules name now
 * @param former manifests that they named before
 */
export async function announceManifests(
  client: ClientBase,
  network: string,
  named: readonly ManifestRef[],
  former: readonly ManifestRef[],
): Promise<void> {
  await client.query({
    name: 'announce-manifests',
    text: `with named as (
        select distinct c.hash, c.uri, m.hash is not null as known
        from ${unnestColumns(tables.manifestFetches, 2, namedColumns)} left join manifests m on m.hash = c.hash),
      announced as (
        insert into manifest_fetches (network, hash, uri, status, next_attempt_at, publisher, verified)
        select $1, c.hash, c.uri, case when known then 'verified' else 'pending' end, case when not known then now() end,
          n.publisher, n.verified
        from named c ${namedBy}
        on conflict (network, hash, uri) do update set attempts = 0, next_attempt_at = excluded.next_attempt_at,
          ready = true, publisher = excluded.publisher, verified = excluded.verified,
          status = case excluded.status when 'verified' then 'verified' else manifest_fetches.status end,
          last_error = case excluded.status when 'verified' then null else manifest_fetches.last_error end,
          apply_at = case excluded.status when 'verified' then now() else manifest_fetches.apply_at end
          where manifest_fetches.status <> 'verified')
      delete from manifest_fetches f using ${unnestColumns(tables.manifestFetches, 4, namedColumns)}
      where f.network = $1 and f.hash = c.hash and f.uri = c.uri
        and not exists (select from listings l
          where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri)
        and not exists (select from rules r
          where r.network = f.network and r.manifest_hash = f.hash and r.manifest_uri = f.uri)`,
    values: [network, ...toColumns(named, ...namedColumns), ...toColumns(former, ...namedColumns)],
  });
}

/** Reads the manifests that these rules named when they were last stored. */
export async function readRuleManifests(
  client: ClientBase,
  network: string,
  rules: readonly { ruleType: string; publisher: string }[],
): Promise<ManifestRef[]> {
  const { rows } = await client.query<ManifestRef>({
    name: 'find-manifests-of-rules',
    text: `select r.manifest_hash as hash, r.manifest_uri as uri
      from ${unnestColumns(tables.rules, 2, ['ruleType', 'publisher'])}
      join rules r on r.network = $1 and r.rule_type = c.rule_type and r.publisher = c.publisher`,
    values: [network, ...toColumns(rules, 'ruleType', 'publisher')],
  });
  return rows;
}

/** A fetch that has not succeeded. */
export interface ManifestFetch extends ManifestRef {
  /** Attempts made before. */
  attempts: number;
  /** Time since the fetch became due, in milliseconds. */
  waitedMs: number;
}

const fetchGroups = readColumns(tables.manifestFetches, ['publisher', 'verified', 'host']);

interface DueFetch extends ManifestFetch, Row<typeof fetchGroups> {}

interface DueFetchesQuery {
  network: string;
  attempt: Attempt;
  limit: number;
  turns: Turns;
}

const waitedMs = (f: string) =>
  `(extract(epoch from now() - ${f}.next_attempt_at) * 1000)::float8 as "waitedMs"`;

/** `first`: first attempts, for which the fast slots are reserved. `again`: attempts at hosts that have failed. */
export type Attempt = 'first' | 'again';

/**
 * Reads due fetches, in a fair order. Manifests that a verified publisher's listing or rule names come first.
 * Within both groups, the second fetch of a publisher or a host comes after the first of every other one, and so on. A
 * stranger creates publishers and hosts for free, so a limit on only one of them would let a stranger delay everyone.
 */
export const readDueFetches = (
  db: Queryable,
  { attempt, ...read }: DueFetchesQuery,
): Promise<DueItems<DueFetch>> => {
  const isAttempt = `least(attempts, 1) = ${attempt === 'first' ? 0 : 1}`;
  return readInTurns<DueFetch>(db, read, {
    name: `due-fetches-${attempt}`,
    table: 'manifest_fetches',
    due: 'next_attempt_at',
    ready: 'ready',
    priorities: [`${isAttempt} and verified`, `${isAttempt} and not verified`],
    groups: [
      { group: 'publisher', order: 'hash, uri' },
      { group: 'host', order: 'hash, uri' },
    ],
    select: `q.hash, q.uri, q.attempts, ${waitedMs('q')}, ${fetchGroups.select('q')}`,
  });
};

/** Reads fetches in their current state, in the order of the keys; undefined for one that is no longer due. */
export async function readCurrentFetches(
  db: Queryable,
  network: string,
  keys: readonly ManifestRef[],
): Promise<(ManifestFetch | undefined)[]> {
  const { rows } = await db.query<ManifestFetch & { nth: number }>({
    name: 'current-fetches',
    text: `select key.nth::int, f.hash, f.uri, f.attempts, ${waitedMs('f')}
      from unnest($2::text[], $3::text[]) with ordinality as key (hash, uri, nth)
      join manifest_fetches f on f.network = $1 and f.hash = key.hash and f.uri = key.uri
      where f.next_attempt_at <= now()`,
    values: [network, ...toColumns(keys, 'hash', 'uri')],
  });
  return orderByKeys(keys, rows, ({ nth: _, ...fetch }) => fetch);
}

/** Reads verified manifests by their hashes, from any url and network, in the order of the hashes. */
export const readManifests = createLookup<
  string,
  Pick<typeof tables.manifests.$inferSelect, 'body' | 'shown' | 'warnings'>,
  VerifiedManifest
>({
  name: 'find-manifests',
  key: { hash: ['text', (hash) => hash] },
  select: 'm.body, m.shown, m.warnings',
  join: 'join manifests m on m.hash = key.hash',
  toItem: ({ body, shown, warnings }) => ({ body, ...(shown && { adjusted: { shown, warnings } }) }),
});

/** Stores verified bodies, and ends their fetches. */
export const storeManifests = createWrite<ManifestRef & VerifiedManifest>(
  'store-manifests',
  `with stored as (
      insert into manifests (hash, body, shown, warnings)
      select hash, body, shown, warnings
      from unnest($2::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[]) as m (hash, body, shown, warnings)
      on conflict do nothing)
    update manifest_fetches f set status = 'verified', last_error = null, next_attempt_at = null, apply_at = now(),
      attempts = attempts + 1, updated_at = now()
    from unnest($2::text[], $3::text[]) as c (hash, uri)
    where f.network = $1 and f.hash = c.hash and f.uri = c.uri and f.status <> 'verified'`,
  (manifests) => [
    ...toColumns(manifests, 'hash', 'uri'),
    manifests.map(({ body }) => JSON.stringify(body)),
    manifests.map(({ adjusted }) => (adjusted ? JSON.stringify(adjusted.shown) : null)),
    manifests.map(({ adjusted }) => JSON.stringify(adjusted?.warnings ?? [])),
  ],
);

/**
 * Ends fetches of these hashes at other uris, `limit` of them at most. Call it again with each page that is applied.
 * @returns the fetches that ended
 */
export async function endOtherFetches(
  client: ClientBase,
  network: string,
  hashes: readonly string[],
  limit: number,
): Promise<ManifestRef[]> {
  if (hashes.length === 0) return [];
  const { rows } = await client.query<ManifestRef>({
    name: 'end-other-fetches',
    text: `update manifest_fetches f set status = 'verified', last_error = null, next_attempt_at = null,
        apply_at = now(), updated_at = now()
      from (
        select o.hash, o.uri from (select distinct unnest($2::text[]) as hash) stored
        cross join lateral (
          select hash, uri from manifest_fetches
          where network = $1 and hash = stored.hash and status <> 'verified' limit $3) o
        limit $3) other
      where f.network = $1 and f.hash = other.hash and f.uri = other.uri
      returning f.hash, f.uri`,
    values: [network, hashes, limit],
  });
  return rows;
}

interface FetchFailure extends ManifestRef {
  /** Attempts before this one. The outcome is not stored if the fetch has been made again since. */
  attempts: number;
  status: string;
  reason: string;
  /** Null: no retry. */
  retryAfterSeconds: number | null;
}

/** Stores the errors of failed fetches. Only a new status is applied to the entries that wait for the manifest. */
export const recordFetchFailures = createWrite<FetchFailure>(
  'record-fetch-failures',
  `update manifest_fetches f set status = c.status, last_error = c.reason, attempts = f.attempts + 1, updated_at = now(),
      next_attempt_at = now() + make_interval(secs => c.retry_after), ready = false,
      apply_at = case when f.status = c.status then f.apply_at else now() end
    from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::float8[])
      as c (hash, uri, attempts, status, reason, retry_after)
    where f.network = $1 and f.hash = c.hash and f.uri = c.uri and f.attempts = c.attempts and f.status <> 'verified'`,
  ['hash', 'uri', 'attempts', 'status', 'reason', 'retryAfterSeconds'],
);
