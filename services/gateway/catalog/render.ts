import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  type CatalogChange,
  type ChangesQuery,
  formatChangePosition,
  readChanges,
} from '../../../db/queries/catalog/changes.ts';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { readFirstEntries } from '../../../db/queries/catalog/find.ts';
import type { PageKey } from '../../../db/queries/catalog/first-page.ts';
import { type PageEntry, readPage } from '../../../db/queries/catalog/list.ts';
import type { CatalogQuery } from '../../../db/queries/catalog/query.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { inSnapshot } from '../../../db/transaction.ts';
import { problem } from '../../../lib/errors/index.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';

/** An entry as the page shows it. */
export interface Fragment<Key = PageKey> {
  key: Key;
  /** Undefined if the entry has no manifest. Such an entry is not shown. */
  json: Buffer | undefined;
  digest: Buffer;
}

function buildFragment<Key>(key: Key, json: Buffer | undefined): Fragment<Key> {
  const digest = createHash('sha256')
    .update(json ?? '')
    .digest();
  return { key, json, digest };
}

/** Maximum number of entries, and of bytes of their manifests, in one read. Parsing more at once would delay other requests. */
const batchMax = 64;
const batchBytesMax = 256 * 1024;
/** Entries that are rendered in one turn of the event loop: those with the most ops take half a millisecond each. */
const turnMax = 8;

/**
 * Returns the fragments that fit in a response, in the order of the keys. It reads and renders only entries that
 * `known` lacks, and `changed` is their number.
 */
export async function renderPage<Key extends PageEntry>(
  db: Queryable,
  network: string,
  keys: readonly Key[],
  known: (key: Key) => Fragment<Key> | undefined = () => undefined,
): Promise<{ shown: Fragment<Key>[]; changed: number }> {
  const fragments = keys.map(known);
  let changed = 0;

  async function readMissing(from: number): Promise<void> {
    const missing: number[] = [];
    for (let at = from; at < keys.length && missing.length < batchMax; at++) {
      if (!fragments[at]) missing.push(at);
    }
    const missingKeys = missing.map((at) => keys[at]!);
    const entries = await readFirstEntries(db, network, missingKeys, batchBytesMax);
    changed += entries.length;
    for (const [nth, entry] of entries.entries()) {
      if (nth % turnMax === turnMax - 1) await nextTurn();
      const json = entry && Buffer.from(JSON.stringify(toEntryBody(entry)));
      fragments[missing[nth]!] = buildFragment(missingKeys[nth]!, json);
    }
  }

  const shown: Fragment<Key>[] = [];
  let bytes = 0;
  for (let at = 0; at < keys.length; at++) {
    if (!fragments[at]) await readMissing(at);
    const fragment = fragments[at]!;
    bytes += fragment.json ? fragment.json.byteLength + 1 : 0;
    if (shown.length > 0 && bytes > answerBytesMax) break;
    shown.push(fragment);
  }
  return { shown, changed };
}

interface PageBounds {
  total: number;
  /** Entries of the page before it was cut at its bytes. */
  count: number;
  hasMore: boolean;
  cursorAt(index: number): string;
}

/** Returns the body of `GET /api/adaptors` in parts. `nextCursor` is present if entries were left out. */
export function buildPageParts(
  network: string,
  { total, count, hasMore, cursorAt }: PageBounds,
  shown: readonly Fragment<PageEntry>[],
  join: (adaptors: readonly Buffer[]) => readonly Buffer[] = addCommas,
) {
  const adaptors = shown.flatMap(({ json }) => json ?? []);
  const nextCursor = hasMore || shown.length < count ? cursorAt(shown.length - 1) : undefined;
  const [head, tail] = buildPageFrame(network, adaptors.length, total, nextCursor);
  return [Buffer.from(head), ...join(adaptors), Buffer.from(tail)];
}

/** Entries of one block: some 64 KB. */
const blockEntries = 16;

/** Neighbouring entries, and their bytes with commas before all but the first of the page. */
interface Block {
  adaptors: readonly Buffer[];
  bytes: Buffer;
}

/**
 * Joins entries in blocks, and reuses each block of the previous page whose entries are all the same. A new page of 4
 * MB for each change would make the garbage collector run several times a second.
 */
export function createBlockJoiner() {
  let former: Block[] = [];
  return (adaptors: readonly Buffer[]): Buffer[] => {
    former = Array.from({ length: Math.ceil(adaptors.length / blockEntries) }, (_, at) => {
      const entries = adaptors.slice(at * blockEntries, (at + 1) * blockEntries);
      const block = former[at];
      const isSame =
        block?.adaptors.length === entries.length &&
        entries.every((json, nth) => json === block.adaptors[nth]);
      if (isSame) return block;
      return {
        adaptors: entries,
        bytes: Buffer.concat([...(at === 0 ? [] : [comma]), ...addCommas(entries)]),
      };
    });
    return former.map(({ bytes }) => bytes);
  };
}

const comma = Buffer.from(',');

/** Adds commas between the items of a JSON array. */
const addCommas = (items: readonly Buffer[]): Buffer[] =>
  items.flatMap((json, at) => (at === 0 ? [json] : [comma, json]));

/**
 * Reads and renders the entries that match a query, up to 1,000 entries or 4 MB, in the same batches as the prepared
 * catalog.
 * @param signal ends the work before its next statement, or the next batch of entries
 * @returns the body, and the network's revision that it shows
 */
export async function renderCatalog(
  db: Pool,
  query: CatalogQuery,
  signal?: AbortSignal,
): Promise<{ body: Buffer; version: number }> {
  const { network } = query;
  const read = async (client: Queryable) => {
    const page = await readPage(client, query);
    return { page, ...(await renderPage(client, network, page.entries)) };
  };
  const { page, shown } = await inSnapshot(db, read, signal);
  const { total, version, hasMore, entries, cursors } = page;
  const bounds = { total, hasMore, count: entries.length, cursorAt: (at: number) => cursors[at]! };
  return { body: Buffer.concat(buildPageParts(network, bounds, shown)), version };
}

/** Parts of the body of `GET /api/adaptors` before and after its entries. */
function buildPageFrame(
  network: string,
  count: number,
  total: number,
  nextCursor: string | undefined,
): [head: string, tail: string] {
  const head = `${JSON.stringify({ network, count, total }).slice(0, -1)},"adaptors":[`;
  return [head, nextCursor === undefined ? ']}' : `],"nextCursor":${JSON.stringify(nextCursor)}}`];
}

/** Returns an entry as REST shows it. The package of an unverified version is for the agent only. */
export function toEntryBody({ pending, ...entry }: CatalogEntry) {
  const { version, manifestUri, state } = pending ?? {};
  return { ...entry, pending: pending && { version, manifestUri, state } };
}

/**
 * Returns the body of `GET /api/adaptors?sinceRevision=`. It ends with a complete revision, unless one alone is too
 * large.
 * @throws ProblemError `bad_cursor` if the query names a revision that does not exist
 */
export async function renderChanges(
  db: Pool,
  query: ChangesQuery,
  signal?: AbortSignal,
): Promise<{ body: Buffer; nextRevision: number }> {
  const { network, since } = query;
  const read = async (client: Queryable) => {
    const page = await readChanges(client, query);
    const { shown } = await renderPage(client, network, page.changes, buildRemovalFragment);
    return { ...page, fitting: shown };
  };
  const { version, isKnown, changes, hasMore, fitting } = await inSnapshot(db, read, signal);
  if (!isKnown) {
    const message = `The newest revision is ${version}. Start again from 0.`;
    throw problem('bad_cursor', message, { errors: [{ path: 'query.sinceRevision', message }] });
  }
  const areLeft = hasMore || fitting.length < changes.length;
  const last = changes[fitting.length - 1];
  // The last revision may be incomplete. Then the next response has all of it.
  const lastRevision = areLeft ? last!.revision : Number.POSITIVE_INFINITY;
  const lastBegin = changes.findIndex(({ revision }) => revision >= lastRevision);
  const end = lastBegin > 0 ? lastBegin : fitting.length;
  // If the response has one revision only, it is sent in parts, and `nextCursor` leads to the next one.
  const isSplit = areLeft && lastBegin === 0;
  let nextRevision = version;
  if (isSplit) nextRevision = Math.max(since, lastRevision - 1);
  else if (areLeft) nextRevision = changes[end - 1]!.revision;

  const sent = fitting.slice(0, end);
  const changed = sent.flatMap(({ key, json }) => (key.shown && json ? [json] : []));
  const removed = sent.flatMap(({ key, json }) => (key.shown && json ? [] : [json ?? encodeRemoval(key)]));
  const head = JSON.stringify({ network, revision: version }).slice(0, -1);
  const tail = JSON.stringify({
    nextRevision,
    hasMore: areLeft,
    nextCursor: isSplit
      ? formatChangePosition([last!.revision, last!.serviceType, last!.publisher])
      : undefined,
  });
  const body = Buffer.concat([
    Buffer.from(`${head},"changed":[`),
    ...addCommas(changed),
    Buffer.from('],"removed":['),
    ...addCommas(removed),
    Buffer.from(`],${tail.slice(1)}`),
  ]);
  return { body, nextRevision };
}

const encodeRemoval = ({ serviceType, publisher }: CatalogChange) =>
  Buffer.from(JSON.stringify({ serviceType, publisher }));

/** Returns the fragment of a listing that the catalog no longer shows, without a read. Undefined for all others. */
const buildRemovalFragment = (key: CatalogChange) =>
  key.shown ? undefined : buildFragment(key, encodeRemoval(key));
