import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import type { MisbehaviourPatch } from '@adaptor-marketplace/localnet/misbehaviour/schema';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { readProviders } from '../../db/queries/providers.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createdObject, publish } from '../../services/demo/publish.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { createTestDatabase, sourceRow } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let localnet: Localnet;
let client: ChainClient;
let publisher: Account;
let registry: { packageId: string; objectId: string };
/** Digests of the transactions with registry events, in their order. */
const digests: string[] = [];
const outbound = createOutbound({ allowCidrs: [] });
let db: Database;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  // Transactions go through a node that behaves well.
  client = createChainClient({ url: (await localnet.openNode()).rpcUrl });
  publisher = await createAccount(client, localnet.faucetUrl);
  const published = await publish(publisher, 'registry');
  registry = { packageId: published.packageId, objectId: createdObject(published, '::registry::Registry') };
});
afterAll(async () => {
  client.close();
  await outbound.close();
  await localnet.close();
});
beforeEach(async () => {
  db = await createTestDatabase();
  localnet.misbehaviour.reset();
});

/** Registers service types, one in each transaction. */
async function register(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const { digest } = await execute(publisher, (tx) => {
      tx.moveCall({
        target: `${registry.packageId}::registry::register`,
        arguments: [
          tx.object(registry.objectId),
          tx.pure.address(registry.packageId),
          tx.pure.string(`${registry.packageId}::service::S${digests.length}`),
          tx.pure.string('walrus://none'),
          tx.pure.vector('u8', new Uint8Array(32)),
          tx.object.clock(),
        ],
      });
    });
    digests.push(digest);
  }
}

function index(settings: Pick<NetworkSettings, 'rpcUrl' | 'otherProviders' | 'rpcBudget'>): void {
  const network = { network: 'testnet', aggregatorUrl: 'http://127.0.0.1:9', ...settings } as const;
  const networks = [
    { ...network, registryPackageId: registry.packageId, registryObjectId: registry.objectId },
  ];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound, idleMs: 500 });
  onTestFinished(() => indexer.close());
}

async function readIndexed(): Promise<string[]> {
  const { rows } = await db.pool.query<{ tx_digest: string }>(
    `select tx_digest from events where source = 'registry' order by checkpoint, tx_index, event_index`,
  );
  return rows.map((row) => row.tx_digest);
}

const everythingIndexed = () => eventually(async () => expect(await readIndexed()).toEqual(digests));

describe('each misbehaviour of a provider leads to the same events, none lost and none doubled', () => {
  const limit = { calls: 40, windowMs: 1_000 };
  const modes: Record<string, MisbehaviourPatch> = {
    'it limits requests and names a delay': {
      limitCalls: { ...limit, answer: 'RESOURCE_EXHAUSTED', delay: true },
    },
    'it limits requests and names no delay': {
      limitCalls: { ...limit, answer: 'RESOURCE_EXHAUSTED', delay: false },
    },
    'a proxy answers 429 in front of it': { limitCalls: { ...limit, answer: 'HTTP_429', delay: true } },
    'it refuses a share of the calls': { failCalls: { code: 'RESOURCE_EXHAUSTED', share: 0.1, seed: 3 } },
    'it is away for a share of the calls': { failCalls: { code: 'UNAVAILABLE', share: 0.1, seed: 4 } },
    'it cuts streams after a time': { cutStreams: { afterMs: 150 } },
    'it cuts streams with a code': { cutStreams: { afterMs: 150, code: 'RESOURCE_EXHAUSTED' } },
    'it drops streams after some frames': { dropStream: { afterFrames: 4 } },
    'its streams fall silent': { stallStream: { afterFrames: 3 } },
    'it closes connections': { goAway: { afterCalls: 6 } },
    'it is late': { late: { checkpoints: 12, share: 1, seed: 1 } },
    'several nodes behind its name disagree': { late: { checkpoints: 12, share: 0.5, seed: 5 } },
    'its list index is late': { lagLists: { checkpoints: 10 } },
    'it has no list index': { refuseLists: true },
    'several of these at once': {
      limitCalls: { ...limit, calls: 80, answer: 'RESOURCE_EXHAUSTED', delay: true },
      cutStreams: { afterMs: 400 },
      late: { checkpoints: 12, share: 0.5, seed: 5 },
      failCalls: { code: 'UNAVAILABLE', share: 0.05, seed: 6 },
    },
  };
  test.each(Object.entries(modes))('%s', async (_, mode) => {
    localnet.misbehaviour.set(mode);
    index({ rpcUrl: localnet.rpcUrl });
    await register(2);
    await eventually(async () => expect((await readIndexed()).length).toBeGreaterThan(0));
    await register(3);
    await everythingIndexed();
  });

  test('it restarts again and again', async () => {
    index({ rpcUrl: localnet.rpcUrl });
    for (let round = 0; round < 4; round++) {
      localnet.misbehaviour.set({ restart: { downMs: 150 } });
      await register(2);
    }
    await everythingIndexed();
  });

  test('requests are within the budget', async () => {
    index({ rpcUrl: localnet.rpcUrl, rpcBudget: 60 });
    await register(3);
    await everythingIndexed();
    await eventually(async () => {
      const [provider] = await readProviders(db.pool);
      expect(provider).toMatchObject({
        state: 'healthy',
        inUse: true,
        budget: 60,
        budgetLeft: expect.any(Number),
      });
    });
  });
});

describe('of two providers', () => {
  async function startTwo() {
    const second = await localnet.openNode();
    onTestFinished(() => second.misbehaviour.reset());
    index({ rpcUrl: localnet.rpcUrl, otherProviders: [{ url: second.rpcUrl }] });
    await register(2);
    await everythingIndexed();
    expect((await sourceRow(db))?.cursor_provider).toBe(localnet.rpcUrl);
    const hosts = [localnet.rpcUrl, second.rpcUrl].map((url) => new URL(url).host);
    return { second, hosts };
  }

  test('one dies: the other is followed from the same checkpoint, and both are shown', async () => {
    const { second, hosts } = await startTwo();
    localnet.misbehaviour.set({ restart: { downMs: 3_600_000 } });
    await register(3);
    await everythingIndexed();
    expect((await sourceRow(db))?.cursor_provider).toBe(second.rpcUrl);
    await eventually(async () =>
      expect(await readProviders(db.pool)).toMatchObject([
        { host: hosts[1], inUse: true, state: 'healthy' },
        { host: hosts[0], inUse: false, state: 'failing', reason: expect.any(String) },
      ]),
    );
  });

  test('one lags: the other is followed once its newest checkpoint is 15 seconds older', async () => {
    const { second, hosts } = await startTwo();
    localnet.misbehaviour.set({
      clock: { offsetMs: 60_000 },
      late: { checkpoints: 10_000, share: 1, seed: 1 },
    });
    await register(3);
    await everythingIndexed();
    await eventually(async () => {
      const [inUse, spare] = await readProviders(db.pool);
      expect(inUse).toMatchObject({ host: hosts[1], state: 'healthy' });
      expect(spare).toMatchObject({
        state: 'lagging',
        reason: expect.stringMatching(/is \d+ s behind the other/),
      });
    });
    await eventually(async () => expect((await sourceRow(db))?.cursor_provider).toBe(second.rpcUrl));
  });

  test('one follows another fork: the source stops, and its error names both and the checkpoint', async () => {
    const second = await localnet.openNode();
    second.misbehaviour.set({ fork: { from: 0 } });
    index({ rpcUrl: localnet.rpcUrl, otherProviders: [{ url: second.rpcUrl }] });
    await eventually(async () => expect((await sourceRow(db))?.stopped_at).toBeInstanceOf(Date));
    const [first, other] = [localnet.rpcUrl, second.rpcUrl].map((url) => new URL(url).host);
    expect((await sourceRow(db))?.last_error).toMatch(
      new RegExp(
        `^${first} and ${other} give different digests for checkpoint \\d+ of testnet: \\w+ and \\w+\\.`,
      ),
    );
  });
});
