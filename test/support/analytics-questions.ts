import { readFileSync } from 'node:fs';
import type { Database } from '../../db/client.ts';
import { recordCoins } from '../../db/queries/catalog/coins.ts';
import { addCoins } from '../../db/queries/coins.ts';
import { addUsage } from '../../db/queries/usage.ts';
import * as tables from '../../db/schema/index.ts';
import { inTransaction } from '../../db/transaction.ts';
import { address, computeCheckpointTime, readModelBuilder } from './read-model.ts';
import { walletRows } from './wallet-rows.ts';

const network = 'testnet';
const [swap, lend] = [`${address(1)}::swap::Swap`, `${address(2)}::lend::Lending`];
export const [sui, usd] = [`${address(2)}::sui::SUI`, `${address(7)}::usd::USD`];
export const [alice, bob] = [address(0xa11ce), address(0xb0b)];
const [first, second] = [address(0xf1), address(0xf2)];
/** Sunday, the date of the seeded chain. */
const sunday = '2025-06-15';

/** Fills the read model with rows for the questions of `docs/analytics.md`. */
export async function fillForQuestions(db: Database): Promise<void> {
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
    await event(at, 'ServiceSpent', { walletId, service: serviceType });
    await db.orm.insert(tables.serviceActions).values({
      network,
      checkpoint,
      txIndex: 0,
      eventIndex: 0,
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
    firstGrantedAt: new Date(`${sunday}T16:00:00Z`),
  });
  const from = { checkpoint: checkpoint + 1, txIndex: 0, eventIndex: 0 };
  await act(`${sunday}T18:00:00Z`, swap, first, '100', '18446744073709551615');
  await act(`${sunday}T19:00:00Z`, swap, second, '50', '1');
  await act('2025-06-16T00:00:00Z', swap, first, '1', '1');
  await act('2025-06-24T00:00:00Z', swap, first, '1', '1');
  await event('2025-06-16T00:00:00Z', 'ServiceCoinRevoked', { walletId: second, service: swap, coin: sui });
  await event('2025-06-16T00:01:00Z', 'ServiceRevoked', { walletId: second, service: lend });
  await inTransaction(db.pool, async (client) => {
    await addUsage(client, network, from);
    await addCoins(client, network, new Set([sui, usd]));
  });
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
}

const document = readFileSync(new URL('../../docs/analytics.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Questions$(.*?)^## /ms.exec(document) ?? [];

/** The questions of the document, each with its statement. */
export const questions = [...section.matchAll(/^\*\*(.+?)\*\*\n\n```sql\n(.+?);\n```$/gms)].map(
  ([, question, sql]) => [question!, sql!] as const,
);
