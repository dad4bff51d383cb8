import { createServer } from 'node:http';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { reviewList } from '../../../db/queries/catalog/listing.ts';
import { hideText, showText } from '../../../db/queries/hidden-texts.ts';
import { readPages } from '../../../db/queries/lists.ts';
import * as tables from '../../../db/schema/index.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createReviewTextQueue } from './review-texts.ts';

const network = 'testnet';
const blobId = 'A-_z'.repeat(11).slice(0, 43);
const uri = `walrus://${blobId}`;

let db: Database;
let seed: ReturnType<typeof readModelBuilder>;
let listing: SeededListing;
let aggregator: Awaited<ReturnType<typeof listenLocally>>;
let blob: Buffer | string | undefined;
const paths: string[] = [];

beforeAll(async () => {
  db = await openTestDatabase();
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    response.writeHead(blob === undefined ? 404 : 200).end(blob);
  });
  aggregator = await listenLocally(server);
});
afterAll(async () => {
  await aggregator.close();
  await db.close();
});
beforeEach(async () => {
  blob = 'It pays out each week.';
  paths.length = 0;
  await db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews,
    review_texts, hidden_texts, events, catalog_entries, catalog_removals, catalog_state, op_tools, publisher_proofs`);
  seed = readModelBuilder(db);
  listing = await seed.listing();
});

const review = (attester: number, commentUri = uri) =>
  seed.attestation(listing.serviceType, address(attester), 4, network, commentUri);

function openQueue() {
  const metrics = createIndexerMetrics(new Registry());
  const settings = settingsFor(aggregator.url, { aggregatorUrl: aggregator.url });
  return createReviewTextQueue({ db, settings, metrics }, new AbortController().signal);
}

/** Fetches the text, which is due, and returns its row. */
async function fetchText() {
  await db.pool.query('update review_texts set next_check_at = now() where next_check_at is not null');
  const queue = openQueue();
  const job = await queue.current({ uri, attester: '', attempts: 0 });
  if (job) await queue.work(job, { isContended: false, free: () => undefined, moveTo: () => false });
  await queue.close();
  const [row] = await db.orm.select().from(tables.reviewTexts);
  return row!;
}

async function readTexts(): Promise<(string | null)[]> {
  const key = { network, serviceType: listing.serviceType, publisher: listing.publisher, first: 10 };
  const [page] = await readPages(db.pool, reviewList, [key]);
  return page!.items.map(({ text }) => text);
}

test('the text that reviews name is fetched once, and shown with each of them', async () => {
  await review(1);
  await review(2);
  await review(3, '');
  expect(await readTexts()).toEqual([null, null, null]);
  const queue = openQueue();
  workOn(db, queue);
  await eventually(async () => expect(await readTexts()).toEqual([null, String(blob), String(blob)]));
  await review(4);
  expect(await readTexts()).toEqual([String(blob), null, String(blob), String(blob)]);
  expect(await db.orm.select().from(tables.reviewTexts)).toMatchObject([{ nextCheckAt: null }]);
  expect(paths).toEqual([`/v1/blobs/${blobId}`]);
  await queue.close();
});

test.each([
  ['a url, whose content can change', 'https://a.example/review'],
  ['a uri that is longer than a blob’s', `${uri}A`],
  ['another scheme', `data:text/plain,${blobId}`],
])('%s is not fetched', async (_, commentUri) => {
  await review(1, commentUri);
  expect(await db.orm.select().from(tables.reviewTexts)).toEqual([]);
  expect(await readTexts()).toEqual([null]);
});

test.each([
  ['a blob of more than 4 kB', 'a'.repeat(4_097), 'larger than 4096 bytes'],
  ['a blob that is not text', Buffer.from([0xff, 0xfe, 0x00]), 'not UTF-8'],
])('%s is refused, and not fetched again', async (_, content, reason) => {
  blob = content;
  await review(1);
  expect(await fetchText()).toMatchObject({
    body: null,
    lastError: expect.stringContaining(reason),
    nextCheckAt: null,
  });
});

test('a blob that the aggregator does not know yet is fetched later', async () => {
  await review(1);
  blob = undefined;
  expect(await fetchText()).toMatchObject({ body: null, checkAttempts: 1, nextCheckAt: expect.any(Date) });
  blob = 'Stored since.';
  expect(await fetchText()).toMatchObject({ body: 'Stored since.', lastError: null, nextCheckAt: null });
});

test('a text that was never found is fetched again when another review names it', async () => {
  await review(1);
  await db.pool.query(
    "update review_texts set next_check_at = null, check_attempts = 17, last_error = '404'",
  );
  await review(2);
  expect(await fetchText()).toMatchObject({ body: blob });
});

test('a hidden text is hidden in each review that names it, and the scores stay', async () => {
  await review(1);
  await fetchText();
  await review(2);
  expect(await readTexts()).toEqual([blob, blob]);
  await hideText(db.pool, { network, uri, reason: 'It insults a person.', operator: 'Ada' });
  expect(await readTexts()).toEqual([null, null]);
  const read = 'select comment from analytics.reviews';
  expect((await db.pool.query(read)).rows).toEqual([{ comment: null }, { comment: null }]);
  await showText(db.pool, { network, uri });
  expect(await readTexts()).toEqual([blob, blob]);
  expect((await db.pool.query(read)).rows).toEqual([{ comment: blob }, { comment: blob }]);
});
