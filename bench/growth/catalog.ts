import type { ClientBase } from 'pg';
import type { Database } from '../../db/client.ts';
import { foldReviews } from '../../db/queries/catalog/fold-reviews.ts';
import { readCatalog } from '../../db/queries/catalog/list.ts';
import { refreshEntries } from '../../db/queries/catalog/maintain.ts';
import type { CatalogQuery } from '../../db/queries/catalog/query.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { inTransaction } from '../../db/transaction.ts';
import { fillCatalog, listingAt, network } from '../listings/listings.ts';
import type { Curve, Figure } from './curve.ts';
import { timed } from './timed.ts';

const listingsFull = [12, 100, 1_000, 10_000];
const attestationsFull = [100, 1_000, 10_000, 100_000];
const rounds = 51;

/** Reads of a page of 50, by their names. */
const reads: Record<string, Record<string, Omit<CatalogQuery, 'network'>>> = {
  pages: {
    'by rank': {},
    trending: { sort: 'trending' },
    'by recent use': { sort: 'recent' },
    'by rating': { sort: 'rating' },
    'by update': { sort: 'updated' },
    'by name': { sort: 'name' },
    'of a category': { category: 'Lend' },
  },
  searches: {
    'two words': { q: 'lagoon vault' },
    'a word of a tenth': { q: 'vault' },
    'a word of all': { q: 'adaptor' },
    'a word with a typo': { q: 'colateral' },
    'a short one with a typo': { q: 'vualt' },
    'no match': { q: 'xyzzyq' },
  },
};

/**
 * Measures a change, pages and searches as the catalog grows, and an attestation as those of its service grow.
 * Milliseconds.
 */
export async function catalogFigures(db: Database, scale: number): Promise<Figure[]> {
  const scaled = (sizes: readonly number[]) => sizes.filter((size) => size <= sizes.at(-1)! * scale);
  const changing: Curve = { name: 'a new version', points: [] };
  const curves = (of: string): Curve[] => Object.keys(reads[of]!).map((name) => ({ name, points: [] }));
  const [pages, searches] = [curves('pages'), curves('searches')];
  for (const size of scaled(listingsFull)) {
    await fillCatalog(db, size);
    changing.points.push({ size, value: await timed(rounds, () => change(db, size)) });
    for (const { name, points } of [...pages, ...searches]) {
      const query = reads.pages![name] ?? reads.searches![name];
      points.push({
        size,
        value: await timed(rounds, () => readCatalog(db.pool, { network, limit: 50, ...query })),
      });
    }
  }
  const attesting: Curve = { name: 'an attestation', points: [] };
  for (const size of scaled(attestationsFull)) {
    await attest(db, size);
    attesting.points.push({ size, value: await timed(rounds, () => attestOnce(db)) });
  }
  const figure = (file: string, title: string, sizes: string, curves: Curve[]): Figure => ({
    file,
    title,
    sizes,
    curves,
    unit: 'ms',
  });
  return [
    figure('catalog-changes', 'A change of one listing', 'listings', [changing]),
    figure('catalog-pages', 'A page of 50 entries', 'listings', pages),
    figure('catalog-searches', 'A page of 50 matches', 'listings', searches),
    figure('attestations', 'An attestation', 'attestations of its service', [attesting]),
  ];
}

/** Adds another version of one listing, with a manifest that is known. */
export async function change(db: Database, size: number): Promise<void> {
  const { serviceType } = listingAt(Math.floor(Math.random() * size));
  await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ serviceType: string; publisher: string }>(
      `update listings set version = version + 1, updated_at = now() where network = $1 and service_type = $2
        returning service_type as "serviceType", publisher`,
      [network, serviceType],
    );
    await refreshEntries(client, await lockCatalog(client, network), rows);
  });
}

let checkpoint = 1_000_000;
const reviewed = listingAt(0).serviceType;

/** Adds attestations of one service, each by another address, until it has `count`. */
async function attest(db: Database, count: number): Promise<void> {
  await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from attestations');
    const from = ++checkpoint;
    await client.query(`insert into attestations (network, checkpoint, tx_index, event_index, service_type, attester, score,
        comment_uri, "timestamp")
      select '${network}', ${from}, n, 0, '${reviewed}', '0x' || lpad(to_hex(n), 64, '0'), 1 + n % 5, '', now()
      from generate_series(${rows[0]!.count + 1}, ${count}) n`);
    await foldReviews(client, await lockCatalog(client, network), from);
  });
  await db.pool.query('analyze');
}

async function attestOnce(db: Database): Promise<void> {
  await inTransaction(db.pool, async (client: ClientBase) => {
    const at = ++checkpoint;
    await client.query(
      `insert into attestations (network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri,
          "timestamp") values ($1, $2, 0, 0, '${reviewed}', $3, 5, '', now())`,
      [network, at, `0xa${at.toString(16).padStart(63, '0')}`],
    );
    await foldReviews(client, await lockCatalog(client, network), at);
  });
}
