import { canonicalType } from '@adaptor-marketplace/adaptor';
import * as fc from 'fast-check';
import type { ClientBase, PoolClient } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { address, computeCheckpointTime } from '../../../test/support/read-model.ts';
import type { Database } from '../../client.ts';
import { inTransaction } from '../../transaction.ts';
import {
  announceManifests,
  endOtherFetches,
  lockManifests,
  recordFetchFailures,
  storeManifests,
} from '../manifests.ts';
import { addUsage, appendActions } from '../usage.ts';
import { copyUsage } from './counts.ts';
import { addActors, foldReviews } from './fold-reviews.ts';
import { endPage, hasUnapplied, readUnapplied } from './judgements.ts';
import { appendAttestations, appendVersions, readTouchedListings, refreshListings } from './listings.ts';
import { type ListingKey, readLeavingEntries, refreshEntries } from './maintain.ts';
import { quarantine, release } from './quarantines.ts';
import { lockCatalog } from './revision.ts';

const db = useTestDatabase();
beforeEach(() => reset());

const reset = () =>
  db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews,
    publishers_due, payees_due, wallets_due, service_usage, service_vaults, service_actors, service_actions, service_days, catalog_entries, catalog_removals,
    catalog_state, quarantines, package_sources;
    insert into package_sources (network, package_id, hash, source_hash, verdict, rank)
    values ('${network}', '${packages[0]}', 'a', 'a', 'same_code', 1), ('${network}', '${packages[0]}', 'b', 'b', 'differs', 2)`);

const network = 'testnet';
const services = [1, 2].map((n) => `${address(n)}::adaptor::Witness`);
const people = [1, 2, 3].map((n) => address(0xa0 + n));
const packages = [1, 2].map((n) => address(0xb0 + n));
const bodies = [1, 2, 3, 4].map((n) => ({
  hash: `${n}`.repeat(64),
  uri: `walrus://${n}`,
  body: {
    name: `Name ${n % 2}`,
    category: n > 2 ? 'Lend' : 'Swap',
    summary: `Summary ${n}`,
    ops: [],
    ...(n === 2 && { deprecated: 'Use the other one.' }),
    ...(n % 2 === 1 && { integrator: `partner${n}`, supportedCoins: ['0x2::sui::SUI', '*'] }),
  },
}));
const findBody = (hash: string) => bodies.find((known) => known.hash === hash)!.body;

/** An event on the chain. */
type ChainEvent =
  | { source: 'registry'; kind: 'list'; service: string; publisher: string; pkg: string; manifest: number }
  | { source: 'registry'; kind: 'unlist'; service: string; publisher: string }
  | { source: 'registry'; kind: 'attest'; service: string; attester: string; score: number }
  | { source: 'wallet'; kind: 'act'; service: string; wallet: string; actors: string[] };
type Placed<Event = ChainEvent> = Event & { nth: number };

/** One transaction of the indexer. */
type Step =
  | { do: 'registry' | 'wallet'; events: number }
  | { do: 'fetch'; manifest: number; status: 'verified' | 'mismatch' | 'invalid' | 'unreachable' }
  | { do: 'check'; service: string; publisher: string | null; row: Partial<CheckRow> }
  | { do: 'leave' }
  /** Begins the quarantine of the subject, or ends the one that is in force. */
  | { do: 'quarantine'; subject: string };

interface CheckRow {
  witness_check: 'pending' | 'valid' | 'invalid';
  publisher_check: 'pending' | 'verified' | 'unverified' | 'unknown';
  manifest_error: string | null;
  warned: boolean;
}

const service = fc.constantFrom(...services);
const person = fc.constantFrom(...people);
const manifest = fc.nat(bodies.length - 1);
const events: fc.Arbitrary<ChainEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      source: fc.constant('registry' as const),
      kind: fc.constant('list' as const),
      service,
      publisher: person,
      pkg: fc.constantFrom(...packages),
      manifest,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      source: fc.constant('registry' as const),
      kind: fc.constant('unlist' as const),
      service,
      publisher: person,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      source: fc.constant('registry' as const),
      kind: fc.constant('attest' as const),
      service,
      attester: person,
      score: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      source: fc.constant('wallet' as const),
      kind: fc.constant('act' as const),
      service,
      wallet: person,
      actors: fc.uniqueArray(person, { minLength: 1 }),
    }),
  },
);
const batch = fc.integer({ min: 1, max: 5 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('registry' as const), events: batch }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wallet' as const), events: batch }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('fetch' as const),
      manifest,
      status: fc.constantFrom('verified', 'verified', 'mismatch', 'invalid', 'unreachable'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      // Without a publisher: all listings of the service.
      do: fc.constant('check' as const),
      service,
      publisher: fc.option(person, { freq: 1 }),
      row: fc.record(
        {
          witness_check: fc.constantFrom('valid', 'valid', 'pending', 'invalid'),
          publisher_check: fc.constantFrom('verified', 'verified', 'unverified', 'unknown'),
          manifest_error: fc.constantFrom(null, null, null, 'names another package'),
          warned: fc.boolean(),
        },
        { requiredKeys: ['witness_check', 'publisher_check'] },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('quarantine' as const), subject: fc.oneof(service, person) }),
  },
);

/** Two transactions in a checkpoint, each of one event. */
const toPosition = (nth: number) => ({
  checkpoint: nth >> 1,
  txIndex: nth & 1,
  eventIndex: 0,
  timestampMs: computeCheckpointTime(nth >> 1).getTime(),
});

async function storeRegistry(client: ClientBase, batch: Placed[]): Promise<() => Promise<void>> {
  const from = toPosition(batch[0]!.nth).checkpoint;
  await appendVersions(
    client,
    network,
    batch.flatMap((event) => {
      if (event.kind !== 'list' && event.kind !== 'unlist') return [];
      const { service: serviceType, publisher } = event;
      const content = event.kind === 'list' && {
        serviceType,
        packageId: event.pkg,
        manifestUri: bodies[event.manifest]!.uri,
        manifestHash: bodies[event.manifest]!.hash,
      };
      return {
        at: toPosition(event.nth),
        serviceType,
        nameError: undefined,
        publisher,
        version: event.nth,
        content: content || undefined,
      };
    }),
  );
  await appendAttestations(
    client,
    network,
    batch.flatMap((event) =>
      event.kind === 'attest'
        ? {
            at: toPosition(event.nth),
            serviceType: event.service,
            attester: event.attester,
            score: event.score,
            commentUri: '',
          }
        : [],
    ),
  );
  const touched = await readTouchedListings(client, network, from);
  await lockManifests(client, network);
  const named = await refreshListings(client, network, touched, from);
  const former = touched.flatMap((listing) => listing.former ?? []);
  if (touched.length > 0) await announceManifests(client, network, named, former);
  await client.query(
    `update listings l set judgement_due = false
      where (service_type, publisher) in (select * from unnest($1::text[], $2::text[]))
        and manifest_hash in (select hash from manifests)`,
    [touched.map(({ serviceType }) => serviceType), touched.map(({ publisher }) => publisher)],
  );
  return async () => {
    const catalog = await lockCatalog(client, network);
    await refreshEntries(client, catalog, touched);
    await foldReviews(client, catalog, from);
  };
}

async function storeWallet(client: ClientBase, batch: Placed[]): Promise<() => Promise<void>> {
  const from = toPosition(batch[0]!.nth);
  await appendActions(
    client,
    network,
    batch.flatMap((event) =>
      event.kind === 'act'
        ? {
            at: toPosition(event.nth),
            service: event.service,
            walletId: event.wallet,
            owner: undefined,
            signedBy: null,
            actors: event.actors,
            coins: new Map(),
          }
        : [],
    ),
  );
  const used = await addUsage(client, network, from);
  return async () => {
    const catalog = await lockCatalog(client, network);
    await copyUsage(client, catalog, used);
    await addActors(client, catalog, from);
  };
}

async function storeFetch(client: ClientBase, nth: number, status: string): Promise<() => Promise<void>> {
  const { hash, uri, body } = bodies[nth]!;
  await lockManifests(client, network);
  if (status === 'verified') {
    await storeManifests(client, network, [{ hash, uri, body: body as never }]);
    await endOtherFetches(client, network, [hash], 100);
  } else {
    const { rows } = await client.query(
      'select attempts from manifest_fetches where hash = $1 and uri = $2',
      [hash, uri],
    );
    const failure = {
      hash,
      uri,
      attempts: rows[0]?.attempts ?? 0,
      status,
      reason: '',
      retryAfterSeconds: null,
    };
    await recordFetchFailures(client, network, [failure]);
  }
  return async () => {
    // Pages of two, in one transaction with one revision: this test compares the tables after each. The listings of all
    // pages are locked before the catalog.
    await client.query(
      'select from listings where manifest_hash = $1 order by service_type, publisher for no key update',
      [hash],
    );
    const catalog = await lockCatalog(client, network);
    while (await hasUnapplied(client as never, network)) {
      const { fetches, listings, entries } = await readUnapplied(client, network, 2);
      const keys = [...listings, ...entries].map(({ type: serviceType, publisher }) => ({
        serviceType,
        publisher,
      }));
      await client.query(
        `update listings set judgement_due = false
          where (service_type, publisher) in (select * from unnest($1::text[], $2::text[]))`,
        [listings.map(({ type }) => type), listings.map(({ publisher }) => publisher)],
      );
      await refreshEntries(client, catalog, keys);
      await endPage(client, network, fetches);
    }
  };
}

const warning = { code: 'witness_returned', detail: 'Anyone can get one.' };

async function storeCheck(client: ClientBase, step: Step & { do: 'check' }): Promise<() => Promise<void>> {
  const { service, publisher, row } = step;
  const { rows } = await client.query<ListingKey>(
    `update listings set witness_check = $3, publisher_check = $4, manifest_error = $5, witness_warnings = $6
      where service_type = $1 and ($2::text is null or publisher = $2)
      returning service_type as "serviceType", publisher`,
    [
      service,
      publisher,
      row.witness_check,
      row.publisher_check,
      row.manifest_error ?? null,
      JSON.stringify(row.warned ? [warning] : []),
    ],
  );
  return async () => refreshEntries(client, await lockCatalog(client, network), rows);
}

/** Ends the grace period of all entries that wait for an unreachable manifest. */
async function storeLeaving(client: ClientBase): Promise<() => Promise<void>> {
  await client.query(`update catalog_entries set leaves_at = now() where leaves_at is not null`);
  return async () => {
    const leaving = await readLeavingEntries(client, network, 100);
    await refreshEntries(client, await lockCatalog(client, network), leaving);
  };
}

async function toggleQuarantine(subject: string): Promise<void> {
  const decision = { network, subject, reason: 'A test', operator: 'Ada' };
  if (!(await release(db.pool, decision))) await quarantine(db.pool, decision);
}

type Row = Record<string, unknown>;
const buildKey = (row: Row) => `${row.service_type} ${row.publisher}`;
const read = async (sql: string, client: Pick<Database['pool'], 'query'> = db.pool): Promise<Row[]> =>
  (await client.query(sql)).rows;
const readEntryRows = (client?: Pick<Database['pool'], 'query'>) =>
  read('select * from catalog_entries order by service_type, publisher', client);
const without = (row: Row, ...columns: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));

/** Data that does not follow from the tables at any moment. */
interface Kept {
  /** Rows as listings are shown, each at its last verified version. */
  entries: Map<string, Row>;
  /** Listings whose entry once had a verified publisher. */
  verified: Set<string>;
}

const deriveVerdict = (listing: Row) => {
  if (listing.quarantined) return 'out';
  if (!listing.listed || listing.manifest_error !== null || listing.witness_check === 'invalid') return 'out';
  if (listing.status === 'mismatch' || listing.status === 'invalid') return 'out';
  return listing.known && listing.status === 'verified' && listing.witness_check === 'valid'
    ? 'verified'
    : 'pending';
};

async function keep({ entries: kept, verified }: Kept, leaving: boolean): Promise<void> {
  const listings = await read(
    `select l.*, f.status, m.hash is not null as known,
      l.service_type in (select subject from quarantines) or l.publisher in (select subject from quarantines) as quarantined
      from listings l left join manifests m on m.hash = l.manifest_hash
      left join manifest_fetches f on f.hash = l.manifest_hash and f.uri = l.manifest_uri`,
  );
  for (const listing of listings) {
    const key = buildKey(listing);
    const verdict = deriveVerdict(listing);
    const former = kept.get(key);
    const checked = {
      publisher_verified: listing.publisher_check === 'verified',
      warnings: listing.witness_warnings,
    };
    if (verdict === 'verified') {
      const body = findBody(String(listing.manifest_hash));
      kept.set(key, {
        ...Object.fromEntries(
          ['network', 'service_type', 'publisher', 'package_id', 'manifest_uri', 'manifest_hash', 'version']
            .concat(
              'updated_at',
              'op_misfits',
              'op_coins',
              'registered_at',
              'registered_checkpoint',
              'registered_tx_index',
            )
            .concat('registered_event_index', 'name_skeleton')
            .map((column) => [column, listing[column]]),
        ),
        ...checked,
        name: body.name,
        category: body.category,
        integrator: body.integrator ?? null,
        coins: (body.supportedCoins ?? []).map((coin: string) => canonicalType(coin) ?? coin),
        profile: null,
        domain: null,
        domain_seen_at: null,
        publisher_name: null,
        package_name: null,
        object_ids: [],
        search_text: [body.name, body.integrator ?? '', body.summary, listing.service_type]
          .concat(body.supportedCoins ? ['SUI'] : [])
          .join('\n')
          .toLowerCase(),
        deprecated: body.deprecated !== undefined,
        source_verdict: listing.package_id === packages[0] ? 'same_code' : null,
        canary_state: null,
        canary_since: null,
        pending_version: null,
        pending_package_id: null,
        pending_manifest_uri: null,
        pending_manifest_hash: null,
        pending_state: null,
        leaves: false,
      });
    } else if (verdict === 'pending' && former !== undefined) {
      const unreachable = listing.status === 'unreachable';
      if (leaving && former.leaves && unreachable) {
        kept.delete(key);
        continue;
      }
      kept.set(key, {
        ...former,
        ...(former.package_id === listing.package_id && checked),
        pending_version: listing.version,
        pending_package_id: listing.package_id,
        pending_manifest_uri: listing.manifest_uri,
        pending_manifest_hash: listing.manifest_hash,
        leaves: unreachable,
        pending_state: unreachable ? 'unreachable' : 'pending',
      });
    } else {
      kept.delete(key);
    }
    if (kept.get(key)?.publisher_verified) verified.add(key);
  }
}

const at = (row: Row, prefix = '') =>
  ['checkpoint', 'tx_index', 'event_index'].map((column) => Number(row[prefix + column])) as [
    number,
    number,
    number,
  ];
const isBefore = (a: number[], b: number[]) => {
  const differs = a.findIndex((part, nth) => part !== b[nth]);
  return differs >= 0 && a[differs]! < b[differs]!;
};

/** Reviews and usage in total, counted from everything that was ever stored. */
async function expectedRows(kept: Kept): Promise<Row[]> {
  const attestations = await read('select * from attestations');
  const everVerified = (await read('select * from listings')).filter((row) =>
    kept.verified.has(buildKey(row)),
  );
  const actions = await read('select * from service_actions');
  const rows = [...kept.entries.values()].sort((a, b) => (buildKey(a) < buildKey(b) ? -1 : 1));
  return rows.map((row) => {
    const rivals = rows.filter((other) => other.service_type === row.service_type);
    const front = rivals.every(
      (other) =>
        other === row ||
        (other.publisher_verified === row.publisher_verified
          ? isBefore(at(row, 'registered_'), at(other, 'registered_'))
          : row.publisher_verified),
    );
    const verified = everVerified.filter((listing) => listing.service_type === row.service_type);
    const has = verified.some((listing) => listing.publisher === row.publisher);
    const used = has ? actions.filter((action) => action.service_type === row.service_type) : [];
    const reviews = (has ? attestations : []).filter(
      (made) =>
        made.service_type === row.service_type &&
        verified.some((listing) => isBefore(at(listing, 'registered_'), at(made))) &&
        !attestations.some(
          (later) =>
            later.service_type === made.service_type &&
            later.attester === made.attester &&
            isBefore(at(made), at(later)),
        ),
    );
    const byUsers = reviews.filter((made) =>
      used.some(
        (action) =>
          (action.actors as string[]).includes(String(made.attester)) && isBefore(at(action), at(made)),
      ),
    );
    const sum = (made: Row[]) => made.reduce((total, { score }) => total + Number(score), 0);
    const last = (made: Row[]) =>
      made.length === 0 ? null : new Date(Math.max(...made.map(({ timestamp }) => Number(timestamp))));
    return {
      ...row,
      ever_verified: has,
      // No wallet of the chain is known, so no owner is.
      rank: '0.000',
      owners: 0,
      new_owners: 0,
      front,
      shown: front && row.publisher_verified,
      actions: used.length,
      // The chain's time is long ago.
      recent_actions: 0,
      trend: '0.000',
      unique_vaults: new Set(used.map((action) => action.wallet_id)).size,
      last_action_at: last(used),
      review_count: reviews.length,
      score_sum: sum(reviews),
      verified_count: byUsers.length,
      verified_sum: sum(byUsers),
      last_review_at: last(reviews),
    };
  });
}

interface Snapshot {
  version: number;
  shown: number;
  entries: Map<string, Row>;
  removals: Map<string, number>;
}

async function snapshot(): Promise<Snapshot> {
  const [state] = await read('select version, shown from catalog_state');
  return {
    version: Number(state?.version ?? 0),
    shown: Number(state?.shown ?? 0),
    entries: new Map((await readEntryRows()).map((row) => [buildKey(row), row])),
    removals: new Map(
      (await read('select * from catalog_removals')).map((row) => [buildKey(row), Number(row.revision)]),
    ),
  };
}

/**
 * Expects that a copy that follows the revisions sees each changed and each removed row when it requests newer ones.
 */
function expectRevisions(before: Snapshot, after: Snapshot): void {
  expect([before.version, before.version + 1]).toContain(after.version);
  for (const [key, row] of after.entries) {
    const former = before.entries.get(key);
    const same =
      former && JSON.stringify({ ...former, revision: 0 }) === JSON.stringify({ ...row, revision: 0 });
    if (same && row.revision === former.revision) continue;
    expect(row.revision).toBe(before.version + 1);
    expect(after.version).toBe(before.version + 1);
  }
  const left = [...before.entries.keys()].filter((key) => !after.entries.has(key));
  for (const key of left) expect(after.removals.get(key)).toBe(before.version + 1);
  if (left.length > 0) expect(after.version).toBe(before.version + 1);
  const former = [...before.removals].filter(([key]) => !after.entries.has(key) && !left.includes(key));
  expect(new Map([...former, ...left.map((key) => [key, before.version + 1] as const)])).toEqual(
    after.removals,
  );
}

/** SQL that computes the reviews and the catalog from the tables that they follow from, in one go. */
const rebuild = `
  insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri, timestamp, verified)
  select distinct on (a.network, a.service_type, a.attester) a.network, a.service_type, a.attester, a.checkpoint, a.tx_index, a.event_index, a.score, a.comment_uri, a.timestamp,
    exists (select from service_actors s where s.network = a.network and s.service_type = a.service_type and s.actor = a.attester and (s.checkpoint, s.tx_index, s.event_index) < (a.checkpoint, a.tx_index, a.event_index))
  from attestations a
  order by a.network, a.service_type, a.attester, a.checkpoint desc, a.tx_index desc, a.event_index desc;
  insert into catalog_entries (network, service_type, publisher, package_id, manifest_uri, manifest_hash, version, updated_at, publisher_verified, ever_verified, warnings, op_misfits, op_coins, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, name, name_skeleton, category, integrator, coins, search_text, deprecated, source_verdict, revision)
  select l.network, l.service_type, l.publisher, l.package_id, l.manifest_uri, l.manifest_hash, l.version, l.updated_at, l.publisher_check = 'verified', l.ever_verified, l.witness_warnings, l.op_misfits, l.op_coins, l.registered_at, l.registered_checkpoint, l.registered_tx_index, l.registered_event_index,
    coalesce(l.name, m.body->>'name', ''), l.name_skeleton, coalesce(m.body->>'category', ''), m.body->>'integrator',
    array(select replace(coin, '0x2::', '${address(2)}::') from jsonb_array_elements_text(m.body->'supportedCoins') coin),
    lower(concat_ws(e'\\n', m.body->>'name', coalesce(m.body->>'integrator', ''), m.body->>'summary', l.service_type,
      (select string_agg(distinct split_part(coin, '::', 3), ' ') from jsonb_array_elements_text(m.body->'supportedCoins') coin
        where coin <> '*'))), m.body->'deprecated' is not null,
    (select verdict from package_sources s where s.network = l.network and s.package_id = l.package_id order by rank limit 1),
    coalesce((select c.version from catalog_state c where c.network = l.network), 0) + 1
  from listings l
  join manifests m on m.hash = l.manifest_hash
  join manifest_fetches f on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri and f.status = 'verified'
  where l.listed and l.name_error is null and l.manifest_error is null and l.witness_check = 'valid'
    and not exists (select from quarantines q where q.subject in (l.service_type, l.publisher));
  update catalog_entries e set front = true
  from (
    select distinct on (network, service_type) * from catalog_entries
    order by network, service_type, publisher_verified desc, registered_checkpoint, registered_tx_index, registered_event_index
  ) own
  where e.network = own.network and e.service_type = own.service_type and e.publisher = own.publisher;
  update catalog_entries e set actions = coalesce(u.actions, 0), unique_vaults = coalesce(u.unique_vaults, 0), last_action_at = u.last_action_at,
    review_count = r.review_count, score_sum = r.score_sum, verified_count = r.verified_count, verified_sum = r.verified_sum, last_review_at = r.last_review_at
  from (
    select distinct on (network, service_type) * from listings where ever_verified
    order by network, service_type, registered_checkpoint, registered_tx_index, registered_event_index
  ) own
  left join service_usage u on u.network = own.network and u.service_type = own.service_type
  cross join lateral (
    select count(*)::int as review_count, coalesce(sum(score), 0) as score_sum, (count(*) filter (where verified))::int as verified_count,
      coalesce(sum(score) filter (where verified), 0) as verified_sum, max(timestamp) as last_review_at
    from reviews r
    where r.network = own.network and r.service_type = own.service_type
      and (r.checkpoint, r.tx_index, r.event_index) > (own.registered_checkpoint, own.registered_tx_index, own.registered_event_index)
  ) r
  where e.network = own.network and e.service_type = own.service_type and e.ever_verified`;

/** The catalog as `rebuild` computes it, in a transaction that is rolled back. */
async function rebuildEntries(): Promise<Row[]> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query('truncate catalog_entries, reviews');
    await client.query(rebuild);
    return await readEntryRows(client as never);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/**
 * Takes the next events of a source, and the registry's other events of the same checkpoint, which are stored together.
 */
function takeBatch(list: Placed[], count: number): Placed[] {
  let end = Math.min(count, list.length);
  while (
    list[0]?.source === 'registry' &&
    end < list.length &&
    list[end]!.nth >> 1 === list[end - 1]!.nth >> 1
  )
    end += 1;
  return list.splice(0, end);
}

const bySource = (chain: ChainEvent[]) => {
  const placed = chain.map((event, nth) => ({ ...event, nth: nth + 2 }));
  return {
    registry: placed.filter(({ source }) => source === 'registry'),
    wallet: placed.filter(({ source }) => source === 'wallet'),
  };
};

const sound = { witness_check: 'valid', publisher_check: 'verified' } as const;

/** Runs the pending checks. After them the tables alone determine the shown entries. */
async function settlePending(run: (step: Step) => Promise<void>): Promise<void> {
  for (let manifest = 0; manifest < bodies.length; manifest++) {
    const open = `select from listings l join manifest_fetches f on f.hash = l.manifest_hash and f.status <> 'verified'
      where l.manifest_hash = '${bodies[manifest]!.hash}'`;
    if ((await read(open)).length > 0) await run({ do: 'fetch', manifest, status: 'verified' });
  }
  for (const row of await read("select * from listings where witness_check = 'pending'"))
    await run({
      do: 'check',
      service: String(row.service_type),
      publisher: String(row.publisher),
      row: sound,
    });
}

async function expectSameAsRebuilt(): Promise<void> {
  const maintained = (await readEntryRows()).map((row) => without(row, 'revision'));
  expect((await rebuildEntries()).map((row) => without(row, 'revision'))).toEqual(maintained);
}

/** Expects that `keep` and `rebuild` know each column, before random cases differ in it and are shrunk for minutes. */
async function expectKnownColumns(): Promise<void> {
  const [service, publisher, manifest] = [services[0]!, people[0]!, 0];
  const kept: Kept = { entries: new Map(), verified: new Set() };
  const listed = {
    source: 'registry',
    kind: 'list',
    service,
    publisher,
    pkg: packages[0]!,
    manifest,
  } as const;
  await inTransaction(db.pool, async (client) => {
    await (await storeRegistry(client, bySource([listed]).registry))();
    await (await storeFetch(client, manifest, 'verified'))();
    await (await storeCheck(client, { do: 'check', service, publisher, row: sound }))();
  });
  await keep(kept, false);
  const [row] = await expectedRows(kept);
  const columns = Object.keys((await readEntryRows())[0]!);
  expect([...Object.keys(row!), 'revision', 'leaves_at'].sort(), 'the columns that `keep` knows').toEqual(
    [...columns, 'leaves'].sort(),
  );
  await expectSameAsRebuilt();
}

test('whatever comes in whatever order and transactions, the catalog is what its tables say from scratch', async () => {
  await expectKnownColumns();
  const cases = fc.record({
    chain: fc.array(events, { minLength: 15, maxLength: 60, size: 'max' }),
    steps: fc.array(steps, { minLength: 10, maxLength: 50, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ chain, steps }) => {
      await reset();
      const waiting = bySource(chain);
      const kept: Kept = { entries: new Map(), verified: new Set() };
      let before = await snapshot();

      async function run(step: Step): Promise<void> {
        const taken =
          step.do === 'registry' || step.do === 'wallet' ? takeBatch(waiting[step.do], step.events) : [];
        if (step.do === 'quarantine') await toggleQuarantine(step.subject);
        await inTransaction(db.pool, async (client) => {
          if (step.do === 'fetch') await (await storeFetch(client, step.manifest, step.status))();
          else if (step.do === 'check') await (await storeCheck(client, step))();
          else if (step.do === 'leave') await (await storeLeaving(client))();
          else if (taken.length > 0)
            await (await (step.do === 'registry' ? storeRegistry : storeWallet)(client, taken))();
        });
        await keep(kept, step.do === 'leave');
        const after = await snapshot();
        const stored = [...after.entries.values()].map(({ leaves_at: leavesAt, ...row }) => ({
          ...without(row, 'revision'),
          leaves: leavesAt !== null,
        }));
        expect(stored).toEqual(await expectedRows(kept));
        expect(after.shown).toBe(stored.filter((row: Row) => row.shown).length);
        expectRevisions(before, after);
        before = after;
      }
      for (const step of steps) await run(step);
      while (waiting.registry.length > 0) await run({ do: 'registry', events: 3 });
      while (waiting.wallet.length > 0) await run({ do: 'wallet', events: 3 });
      await settlePending(run);
      await expectSameAsRebuilt();
    }),
    { numRuns: 30 },
  );
});

/** Runs one transaction after the other on a connection of its own, in parts that others may interleave with. */
function* runTransactions(
  client: PoolClient,
  batches: Placed[][],
  store: typeof storeRegistry,
): Generator<{ locks: boolean; ends: boolean; work: () => Promise<unknown> }> {
  for (const batch of batches) {
    let finish = async () => {};
    yield {
      locks: false,
      ends: false,
      async work() {
        await client.query('begin');
        finish = await store(client, batch);
      },
    };
    yield { locks: true, ends: false, work: () => finish() };
    yield { locks: false, ends: true, work: () => client.query('commit') };
  }
}

/** Runs two connections, interleaved as the caller chooses, each with its source's transactions. */
async function sideBySide(
  batches: { registry: Placed[][]; wallet: Placed[][] },
  work: (advance: (side: 'registry' | 'wallet') => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const clients = { registry: await db.pool.connect(), wallet: await db.pool.connect() };
  const parts = {
    registry: runTransactions(clients.registry, batches.registry, storeRegistry),
    wallet: runTransactions(clients.wallet, batches.wallet, storeWallet),
  };
  let holder: 'registry' | 'wallet' | undefined;
  /** Runs the next part of a side. A part that waits for the catalog gets it when the other side has committed. */
  async function advance(side: 'registry' | 'wallet'): Promise<boolean> {
    const { value: part, done } = parts[side].next();
    if (done) return false;
    const other = side === 'registry' ? 'wallet' : 'registry';
    let over = false;
    const work = part.work().finally(() => {
      over = true;
    });
    if (part.locks && holder === other) {
      await eventually(async () => expect(over || (await isWaiting(clients[side]))).toBe(true));
      await advance(other);
    }
    await work;
    if (part.locks) holder = side;
    if (part.ends) holder = undefined;
    return true;
  }
  try {
    await work(advance);
    for (const side of ['registry', 'wallet'] as const) while (await advance(side));
  } finally {
    for (const client of Object.values(clients)) client.release();
  }
}

/** Returns `true` if the connection waits for a lock of another connection. */
async function isWaiting(client: PoolClient): Promise<boolean> {
  const { processID } = client as unknown as { processID: number };
  const found = await db.pool.query(
    "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'",
    [processID],
  );
  return found.rowCount === 1;
}

/** One listing for each service, shown from the start. */
async function listServices(): Promise<void> {
  const { hash, body } = bodies[1]!;
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [hash, body]);
  const listed = services.map((service, nth) => ({
    source: 'registry',
    kind: 'list',
    service,
    publisher: people[nth]!,
    pkg: packages[0]!,
    manifest: 1,
    nth,
  })) as Placed[];
  await inTransaction(db.pool, async (client) => (await storeRegistry(client, listed))());
  for (const service of services) {
    const check = { do: 'check', service, publisher: null, row: sound } as const;
    await inTransaction(db.pool, async (client) => (await storeCheck(client, check))());
  }
}

test.each([
  ['registry', 'wallet'],
  ['wallet', 'registry'],
] as const)(
  'a review and the use that verifies it are stored at once, that of the %s first',
  async (...order) => {
    await listServices();
    const [service, actor] = [services[0]!, people[2]!];
    const act = { source: 'wallet', kind: 'act', service, wallet: actor, nth: 4 } as const;
    const attest = {
      source: 'registry',
      kind: 'attest',
      service,
      attester: actor,
      score: 4,
      nth: 6,
    } as const;
    await sideBySide({ registry: [[attest]], wallet: [[{ ...act, actors: [actor] }]] }, async (advance) => {
      for (const side of order) await advance(side);
      for (const side of order) await advance(side);
    });
    expect(await readEntryRows()).toMatchObject([
      { actions: 1, review_count: 1, verified_sum: 4 },
      { actions: 0 },
    ]);
    await expectSameAsRebuilt();
  },
);

test('the registry and the wallets, written by two connections at once, lose nothing to each other', async () => {
  const cases = fc.record({
    chain: fc.array(events, { minLength: 15, maxLength: 40, size: 'max' }),
    sizes: fc.array(batch, { minLength: 40, maxLength: 40 }),
    turns: fc.array(fc.constantFrom('registry' as const, 'wallet' as const), { maxLength: 100, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ chain, sizes, turns }) => {
      await reset();
      // Lost updates would show in reviews, actors and usage.
      await listServices();
      const waiting = bySource(chain);
      const splitIntoBatches = (list: Placed[]) => {
        const batches: Placed[][] = [];
        for (let nth = 0; list.length > 0; nth++) batches.push(takeBatch(list, sizes[nth]!));
        return batches;
      };
      const batches = {
        registry: splitIntoBatches(waiting.registry),
        wallet: splitIntoBatches(waiting.wallet),
      };
      await sideBySide(batches, async (advance) => {
        for (const side of turns) await advance(side);
      });
      const run = (step: Step) =>
        inTransaction(db.pool, async (client) => {
          if (step.do === 'fetch') await (await storeFetch(client, step.manifest, step.status))();
          if (step.do === 'check') await (await storeCheck(client, step))();
        });
      await settlePending(run);
      await expectSameAsRebuilt();
    }),
    { numRuns: 30 },
  );
});

test('the registry, the wallets, the fetches and the checks at once lose nothing to each other', async () => {
  const cases = fc.record({
    chain: fc.array(events, { minLength: 20, maxLength: 60 }),
    sizes: fc.array(batch, { minLength: 60, maxLength: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ chain, sizes }) => {
      await reset();
      const run = (step: Step) =>
        inTransaction(db.pool, async (client) => {
          if (step.do === 'fetch') await (await storeFetch(client, step.manifest, step.status))();
          if (step.do === 'check') await (await storeCheck(client, step))();
        });
      const follow = async (list: Placed[], store: typeof storeRegistry) => {
        for (let nth = 0; list.length > 0; nth++) {
          const taken = takeBatch(list, sizes[nth]!);
          await inTransaction(db.pool, async (client) => (await store(client, taken))());
        }
      };
      const { registry, wallet } = bySource(chain);
      const ended = await Promise.allSettled([
        follow(registry, storeRegistry),
        follow(wallet, storeWallet),
        (async () => {
          for (let nth = 0; nth < 2 * bodies.length; nth++)
            await run({
              do: 'fetch',
              manifest: nth % bodies.length,
              status: nth < bodies.length ? 'mismatch' : 'verified',
            });
        })(),
        (async () => {
          for (const service of services)
            for (const publisher of people) await run({ do: 'check', service, publisher, row: sound });
        })(),
      ]);
      // The next case begins when all of them have ended, also after a failure.
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      await settlePending(run);
      await expectSameAsRebuilt();
    }),
    { numRuns: 20 },
  );
});
