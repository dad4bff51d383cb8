import { readFileSync } from 'node:fs';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { address, computeCheckpointTime, readModelBuilder } from '../../test/support/read-model.ts';
import { walletRows } from '../../test/support/wallet-rows.ts';
import { recordCoins } from '../queries/catalog/coins.ts';
import { addUsage } from '../queries/usage.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';

const network = 'testnet';
const [swap, lend] = [`${address(1)}::swap::Swap`, `${address(2)}::lend::Lending`];
const [sui, usd] = [`${address(2)}::sui::SUI`, `${address(7)}::usd::USD`];
const [alice, bob] = [address(0xa11ce), address(0xb0b)];
const [first, second] = [address(0xf1), address(0xf2)];
/** Sunday, the date of the seeded chain. */
const sunday = '2025-06-15';

const db = useTestDatabase();
beforeAll(async () => {
  const seed = readModelBuilder(db);
  const rows = walletRows(db);
  const of = async (serviceType: string, publisher: string, manifest: Record<string, unknown>) =>
    await seed.listing({ serviceType, publisher, manifest });
  await of(swap, alice, { name: 'Swap', category: 'Swap' });
  const lending = await of(lend, bob, { name: 'Lending', category: 'Lend' });
  await seed.update(lending, 2);
  await db.orm.insert(tables.listingVersions).values({
    ...lending,
    version: 3,
    listed: false,
    timestamp: new Date('2025-06-17T01:00:00Z'),
    checkpoint: 900,
    txIndex: 0,
    eventIndex: 0,
  });

  /** A wallet grants, uses and revokes. */
  let checkpoint = 1_000;
  const event = async (at: string, name: string, data: Record<string, unknown>) =>
    await db.orm.insert(tables.events).values({
      network,
      checkpoint: ++checkpoint,
      txIndex: 0,
      eventIndex: 0,
      source: 'wallet',
      txDigest: `d${checkpoint}`,
      sender: alice,
      timestamp: new Date(at),
      contents: Buffer.alloc(0),
      type: `0x3::wallet::${name}`,
      name,
      data,
    });
  const act = async (at: string, serviceType: string, walletId: string, taken: string, brought: string) => {
    const position = { network, checkpoint: ++checkpoint, txIndex: 0, eventIndex: 0 };
    await db.orm.insert(tables.serviceActions).values({
      ...position,
      serviceType,
      walletId,
      actors: [alice],
      timestamp: new Date(at),
      coins: [sui, usd],
      taken: [taken, '0'],
      brought: ['0', brought],
    });
  };
  for (const [walletId, service] of [
    [first, swap],
    [second, swap],
    [second, lend],
  ])
    await event(`${sunday}T16:00:00Z`, 'ServiceGranted', { walletId, service, coin: sui, allowance: '500' });
  await db.orm.insert(tables.serviceGrants).values({
    network,
    walletId: first,
    serviceType: swap,
    coin: sui,
    allowance: '500',
    grantedAt: new Date(`${sunday}T16:00:00Z`),
  });
  const from = { checkpoint: checkpoint + 1, txIndex: 0, eventIndex: 0 };
  await act(`${sunday}T18:00:00Z`, swap, first, '100', '18446744073709551615');
  await act(`${sunday}T19:00:00Z`, swap, second, '50', '1');
  await act('2025-06-16T00:00:00Z', swap, first, '1', '1');
  await act('2025-06-24T00:00:00Z', swap, first, '1', '1');
  await event('2025-06-16T00:00:00Z', 'ServiceCoinRevoked', { walletId: second, service: swap, coin: sui });
  await event('2025-06-16T00:01:00Z', 'ServiceRevoked', { walletId: second, service: lend });
  await inTransaction(db.pool, (client) => addUsage(client, network, from));
  await recordCoins(db.pool, network, [
    {
      coinType: sui,
      attempts: 1,
      state: 'found',
      symbol: 'SUI',
      decimals: 9,
      name: 'Sui',
      iconUrl: null,
      retryAfterSeconds: null,
    },
    {
      coinType: usd,
      attempts: 1,
      state: 'absent',
      symbol: null,
      decimals: null,
      name: null,
      iconUrl: null,
      retryAfterSeconds: 60,
    },
  ]);
  await seed.refresh();

  await seed.attestation(swap, alice, 5);
  await seed.attestation(swap, bob, 3);
  await seed.attestation(swap, bob, 4);
  const agent = await rows.agent('Reviewer');
  for (const amount of ['100', '250'])
    await rows.job(agent, { state: 3, amount, releasedAt: computeCheckpointTime(50) });
  await rows.job(agent, { state: 1 });
  await rows.job(bob, { state: 3, amount: '18446744073709551615', coin: usd });

  await db.orm
    .insert(tables.webhookSubscriptions)
    .values([
      { subscription: 'wh_good' },
      { subscription: 'wh_bad', failingSince: new Date() },
      { subscription: 'wh_gone', removedAt: new Date() },
    ]);
  await db.orm
    .insert(tables.webhookRetries)
    .values({ subscription: 'wh_bad', stream: network, event: 'Test', dueAt: new Date() });
  const settled = {
    stream: network,
    event: 'Registered',
    createdAt: new Date(),
    startedAt: new Date(),
    durationMs: 9,
  };
  await db.pool.query('create table webhook_log_of_test partition of webhook_log default');
  await db.orm.insert(tables.webhookLog).values([
    { ...settled, subscription: 'wh_good', outcome: 'delivered' },
    { ...settled, subscription: 'wh_good', outcome: 'delivered' },
    { ...settled, subscription: 'wh_bad', outcome: 'timeout' },
  ]);
  const run = {
    network,
    walletId: first,
    owner: alice,
    request: {},
    requestHash: '',
    caller: 'internal',
    worker: 1,
  };
  await db.orm.insert(tables.agentRuns).values([
    { ...run, action: 'swap', agent, state: 'done', gasCharged: '1000', startedAt: new Date() },
    { ...run, action: 'swap', agent, state: 'done', gasCharged: '500', startedAt: new Date() },
    { ...run, action: 'swap', agent, state: 'failed', code: 'gas_limit', startedAt: new Date() },
  ]);
});

const at = (time: string) => new Date(time);

/** Expected rows for each question of the document. */
const answers: Record<string, unknown[][]> = {
  'How many listings were there at the end of each day?': [
    ['2025-06-15', '2', 1, 0],
    ['2025-06-16', '2', 0, 0],
    ['2025-06-17', '2', 0, 1],
  ],
  'How much are services of each category used, by day?': [
    ['2025-06-15', 'Swap', '2'],
    ['2025-06-16', 'Swap', '1'],
    ['2025-06-24', 'Swap', '1'],
  ],
  'How much of each coin do services move, by day?': [
    ['2025-06-15', sui, '2', '150', '0'],
    ['2025-06-15', usd, '2', '0', '18446744073709551616'],
    ['2025-06-16', sui, '1', '1', '0'],
    ['2025-06-16', usd, '1', '0', '1'],
    ['2025-06-24', sui, '1', '1', '0'],
    ['2025-06-24', usd, '1', '0', '1'],
  ],
  'How much of each coin do services move, in units of the coin?': [
    ['SUI', sui, '0.000000152', '0.000000000'],
    [null, usd, null, null],
  ],
  'Which coins were moved or paid, and what are their decimals?': [
    [sui, 'SUI', 9, 'Sui', 'found'],
    [usd, null, null, null, 'absent'],
  ],
  'Do wallets come back in the weeks after their first use?': [
    ['2025-06-09', 0, 2, '100.0'],
    ['2025-06-09', 1, 1, '50.0'],
    ['2025-06-09', 2, 1, '50.0'],
  ],
  'How long does a service wait for its first use?': [
    ['Swap', true, 'PT2H53M19S'],
    ['Lending', false, null],
  ],
  'Of the grants that wallets gave, how many led to a use, and how many are left?': [
    ['Lending', '1', '0', '0'],
    ['Swap', '2', '2', '1'],
  ],
  'Which grants were revoked?': [
    ['Swap', sui, at('2025-06-16T00:00:00Z')],
    ['Lending', null, at('2025-06-16T00:01:00Z')],
  ],
  'Who publishes, and how well is it used?': [
    [alice, 1, 1, 1, true, '4'],
    [bob, 1, 1, 1, true, '0'],
  ],
  'How did a listing change?': [
    [1, true, computeCheckpointTime(2)],
    [2, true, computeCheckpointTime(3)],
    [3, false, at('2025-06-17T01:00:00Z')],
  ],
  'How are reviews distributed?': [
    ['Swap', 4, 1, 0],
    ['Swap', 5, 1, 0],
  ],
  'Which agents earn most?': [
    [bob, usd, 1, '18446744073709551615'],
    ['Reviewer', sui, 2, '350'],
  ],
  'Which webhooks fail?': [
    ['wh_bad', true, 0, 1, 1],
    ['wh_good', false, 2, 0, 0],
  ],
  'How do runs of the agent end?': [
    ['swap', 'done', null, '2', '1500'],
    ['swap', 'failed', 'gas_limit', '1', null],
  ],
};

const document = readFileSync(new URL('../../docs/analytics.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Questions$(.*?)^## /ms.exec(document) ?? [];
const questions = [...section.matchAll(/^\*\*(.+?)\*\*\n\n```sql\n(.+?);\n```$/gms)].map(
  ([, question, sql]) => [question!, sql!] as const,
);

test('the document has these questions', () => {
  expect(questions.map(([question]) => question)).toEqual(Object.keys(answers));
});

test.each(questions)('%s', async (question, sql) => {
  const client = new pg.Client({ connectionString: db.directUrl });
  await client.connect();
  try {
    await client.query("set intervalstyle = 'iso_8601'; set timezone = 'UTC'; set role analyst");
    const types = {
      getTypeParser: (oid: number) =>
        [pg.types.builtins.DATE, pg.types.builtins.INTERVAL].includes(oid)
          ? (text: string) => text
          : pg.types.getTypeParser(oid),
    };
    const { rows } = await client.query({ text: sql, rowMode: 'array', types });
    expect(rows).toEqual(answers[question]);
  } finally {
    await client.end();
  }
});
