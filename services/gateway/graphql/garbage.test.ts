import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executePlan } from '../../../graphql/execution/answer.ts';
import { planQuery } from '../../../graphql/execution/plan.ts';
import { createManifests } from '../../../graphql/manifests.ts';
import { schema } from '../../../graphql/schema.ts';
import { startTestGateway, type TestGateway, testPackages } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

const owner = address(0x101);
const serviceType = `${address(6)}::a::A`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(({ source }) => source({ name: 'wallet' }), undefined, testPackages);
  const rows = walletRows(gateway.db);
  for (let n = 0; n < 10; n++) {
    const walletId = await rows.wallet(owner);
    for (let at = 0; at < 5; at++) {
      await rows.delegate(walletId, address(0xd0 + at));
      await rows.grant(walletId, `${address(6)}::a::A${at}`, `${address(2)}::sui::SUI`, '77');
    }
  }
  for (let n = 0; n < 10; n++) await gateway.seed.listing({ serviceType: `${address(7)}::m::S${n}` });
  await gateway.seed.listing({ serviceType });
});
afterAll(() => gateway.close());

setFlagsFromString('--expose-gc');
const collect: (options: { type: 'minor' | 'major' }) => void = runInNewContext('gc');

const oldBytes = () =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: bytes }) => sum + (name.startsWith('new_') ? 0 : bytes),
    0,
  );

async function ask(text: string): Promise<string | undefined> {
  const document = documents.get(text) ?? parse(text);
  documents.set(text, document);
  const plan = plans.get(text) ?? planQuery(schema, document, getOperationAST(document)!)!;
  plans.set(text, plan);
  const db = gateway.db.pool;
  const context = {
    ...{ db, manifests: createManifests(db), choose: () => 'testnet', requireSource: () => undefined },
    indexed: () => ({ checkpoint: null, sources: [] }),
  };
  return await executePlan(plan, context, undefined, 1_000_000);
}
const documents = new Map<string, ReturnType<typeof parse>>();
const plans = new Map<string, NonNullable<ReturnType<typeof planQuery>>>();

/**
 * Most bytes that may survive for each query: code that is compiled meanwhile, and memory that the driver and the
 * server retain. Earlier, 17,000 to 93,000 bytes of a single query survived.
 */
const survivingBytesMax = 8_000;
const rounds = 60;
const queriesOfRound = 5;

test.each([
  [
    'the wallets of an owner with their lists',
    `{ wallets(owner: "${owner}") { pageInfo { endCursor } edges { node {
      owner grants { serviceType allowance } delegates { pageInfo { endCursor } edges { node { address } } } } } } }`,
  ],
  [
    'a page of the catalog',
    '{ adaptors { pageInfo { endCursor } edges { cursor node { manifest { name } usage { actions } } } } }',
  ],
  [
    'an adaptor with its history',
    `{ adaptor(serviceType: "${serviceType}") { version versions { edges { node { version } } }
      events { edges { node { name } } } listing { status } } }`,
  ],
])('a quick collection of garbage frees what a query has read: %s', async (_, query) => {
  for (let n = 0; n < 20; n++) expect(await ask(query)).toMatch(/"edges":\[\{/);
  collect({ type: 'major' });
  const before = oldBytes();
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < queriesOfRound; n++) await ask(query);
    collect({ type: 'minor' });
  }
  expect((oldBytes() - before) / (rounds * queriesOfRound)).toBeLessThan(survivingBytesMax);
});
