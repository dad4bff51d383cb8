import * as tables from '../../db/schema/index.ts';
import type { TestGateway } from './gateway.ts';
import { address, computeCheckpointTime, type SeededListing } from './read-model.ts';
import { walletRows } from './wallet-rows.ts';

export const owner = address(0x101);
export const provider = address(0x102);
export const sui = `${address(2)}::sui::SUI`;
export const rule = `${address(0xe1)}::rule::RecipientAllowlist`;

/** The objects that `fillWholeModel` has made. */
export interface WholeModel {
  /** Listings of the publisher `0xa1`, which the catalog shows. */
  listings: readonly SeededListing[];
  /** A listing of another publisher, who is not verified. */
  hidden: SeededListing;
  walletId: string;
  capId: string;
  allowlistId: string;
  jobId: string;
}

/** Fills every part of testnet's read model with a few rows that refer to each other. */
export async function fillWholeModel({ seed, db }: Pick<TestGateway, 'seed' | 'db'>): Promise<WholeModel> {
  for (const name of ['registry', 'wallet', 'rules', 'agents', 'escrow']) await seed.source({ name });
  const listings: SeededListing[] = [];
  for (let n = 0; n < 3; n++) {
    const listing = await seed.listing({
      publisher: address(0xa1),
      manifest: { name: `Adaptor ${n}`, integrator: 'acme' },
      usage: { actions: 3, uniqueVaults: 1 },
    });
    await seed.attestation(listing.serviceType, address(1), 2);
    await seed.attestation(listing.serviceType, address(1), 4);
    await seed.attestation(listing.serviceType, address(2), 5);
    listings.push(listing);
  }
  const hidden = await seed.listing({
    manifest: { name: 'Claimed' },
    row: { publisherCheck: 'unverified' },
  });
  const rows = walletRows(db);
  const walletId = await rows.wallet(owner);
  await rows.policy(walletId, { version: 3 });
  await rows.policyRule(walletId, 'caveat', rule);
  const allowlistId = await rows.allowlist(walletId, [address(0x71), address(0x72)]);
  const capId = await rows.cap(walletId, { recipient: provider });
  await rows.grant(walletId, listings[0]!.serviceType, sui, '77');
  await rows.rule(rule, { publisher: address(0xa1) });
  await rows.agent('Amy', { agent: provider });
  const jobId = await rows.job(provider, { walletId, payer: owner });
  const at = { network: 'testnet', txIndex: 0, eventIndex: 0, timestamp: computeCheckpointTime(1_001) };
  await db.orm.insert(tables.serviceActions).values({
    ...at,
    checkpoint: 1_001,
    serviceType: listings[0]!.serviceType,
    walletId,
    actors: [owner],
    coins: [sui],
    taken: ['5'],
    brought: ['2'],
  });
  const event = {
    ...at,
    source: 'wallet' as const,
    txDigest: 'spent',
    sender: owner,
    type: 't',
    contents: Buffer.alloc(0),
  };
  const data = { walletId, coin: sui, amount: '9', recipient: address(0x71), policyVersion: 3, capId };
  await db.orm.insert(tables.events).values([
    { ...event, checkpoint: 1_001, name: 'CoinWithdrawn', data: { walletId } },
    { ...event, checkpoint: 1_002, name: 'SpendConfirmed', data },
    { ...event, checkpoint: 1_003, source: 'escrow', name: 'JobCreated', data: { jobId } },
    { ...event, checkpoint: 1_004, source: 'agents', name: 'AgentRegistered', data: { agent: provider } },
    { ...event, checkpoint: 1_005, source: 'rules', name: 'Registered', data: { ruleType: rule } },
    { ...event, checkpoint: 1_006, source: 'rules', name: 'AllowlistCreated', data: { allowlistId } },
    { ...event, checkpoint: 1_007, source: 'rules', name: 'Undecoded', data: null },
  ]);
  const day = new Date().toISOString().slice(0, 10);
  const used = { network: 'testnet', serviceType: listings[0]!.serviceType, day, actions: 1 };
  await db.orm.insert(tables.serviceDays).values({ ...used, wallets: 1 });
  const other = `${address(0xc0)}::other::OTHER`;
  await db.orm.insert(tables.serviceCoinDays).values([
    { ...used, coin: sui, taken: '5', brought: '2' },
    { ...used, serviceType: listings[1]!.serviceType, coin: other, taken: '1', brought: '0' },
  ]);
  const coin = { network: 'testnet', coinType: sui, state: 'found', symbol: 'SUI', decimals: 9 };
  await db.orm
    .insert(tables.coins)
    .values([coin, { ...coin, network: 'mainnet', decimals: 8 }, { network: 'testnet', coinType: other }]);
  return { listings, hidden, walletId, capId, allowlistId, jobId };
}
