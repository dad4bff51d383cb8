import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bindSource, readSource, type SourceState } from '../../../db/queries/sources.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { startRegistryNetwork } from '../../../test/support/checkpoints/registry-network.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { registrySource } from '../sources/registry.ts';
import { createTypesReader, readFirstCheckpoint, resumeFilter } from './event-types.ts';

const [notFound, unavailable] = [5, 14];
const packages = [{ packageId: `0x${'a'.repeat(64)}` }];

type Handlers = Parameters<typeof startNodeDouble>[0];

const refuse = (code: number) => () => {
  throw new NodeRefusedError(code, 'no');
};
const getObject = () => ({ object: { previousTransaction: 'published' } });
const getTransaction = () => ({ transaction: { checkpoint: 77n } });

async function connect(handlers: Handlers) {
  const node = await startNodeDouble(handlers);
  const client = createChainClient({ url: node.url });
  onTestFinished(() => {
    client.close();
    node.close();
  });
  return client;
}

test('the packages that a ledger shows are read in one request, on a node that lists no versions', async () => {
  const network = await startRegistryNetwork();
  onTestFinished(() => network.close());
  const { ledgerService, movePackageService } = network.client;
  const node = await connect({
    listPackageVersions: refuse(notFound),
    async getPackage(request: GrpcTypes.GetPackageRequest) {
      requests.getPackage += 1;
      return (await movePackageService.getPackage(request)).response;
    },
    async batchGetObjects(request: GrpcTypes.BatchGetObjectsRequest) {
      requests.batchGetObjects += 1;
      return (await ledgerService.batchGetObjects(request)).response;
    },
  });
  const requests = { getPackage: 0, batchGetObjects: 0 };
  const { settings } = network;
  const seen = new Set<string>();
  const readTypes = createTypesReader(node, registrySource, settings, seen);
  const written = ['0x1', '0x2', settings.registryPackageId];
  expect(await readTypes(undefined, written)).toEqual([`${settings.registryPackageId}::registry`]);
  expect([...seen]).toEqual([settings.registryPackageId]);
  // The one single read is of the package in the settings, for the id of its first version.
  expect(requests).toEqual({ getPackage: 1, batchGetObjects: 1 });
});

test('the first checkpoint is read from the archive if the node has pruned the publication', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  const whole = await connect({ getObject, getTransaction });
  expect(await readFirstCheckpoint(node, async () => whole, packages)).toBe(77);
  // A store of transactions needs no object: the node names the transaction.
  const transactions = await connect({ getObject: refuse(notFound), getTransaction });
  expect(await readFirstCheckpoint(node, async () => transactions, packages)).toBe(77);
});

test('an archive that does not answer is asked again later, and history does not begin at genesis', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  const away = await connect({ getObject, getTransaction: refuse(unavailable) });
  await expect(readFirstCheckpoint(node, async () => away, packages)).rejects.toThrow('UNAVAILABLE: no');
});

test('history begins at genesis if no node knows the publication', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  expect(await readFirstCheckpoint(node, undefined, packages)).toBe(0);
  expect(await readFirstCheckpoint(node, async () => node, packages)).toBe(0);
});

describe('an upgrade of a followed package, whose publication the node does not show', () => {
  const originals = [`0x${'a'.repeat(64)}`];
  const eventTypes = ['a', 'b'].map((digit) => `0x${digit.repeat(64)}::registry`);
  const identity = { network: 'testnet', name: 'registry', chainId: 'chain' } as const;
  const database = useTestDatabase();

  async function resume(handlers: Handlers): Promise<SourceState> {
    const db = await database.pool.connect();
    onTestFinished(() => db.release());
    await db.query('truncate sources');
    await db.query(
      `insert into sources (network, name, chain_id, filter) values ('testnet', 'registry', '', '')`,
    );
    await bindSource(db, identity, { filter: eventTypes[0]!, first: 70 });
    const stored = (await readSource(db, identity))!;
    const client = await connect(handlers);
    return await resumeFilter(db, { identity, stored, eventTypes, originals, client, archive: undefined });
  }
  const getServiceInfo = (lowestAvailableCheckpoint: bigint) => () => ({ lowestAvailableCheckpoint });

  test.each([
    ['object', { getObject: refuse(notFound), getTransaction }],
    ['transaction', { getObject, getTransaction: refuse(notFound) }],
  ])('is tried again if a backend is behind with the %s', async (_, handlers) => {
    const resuming = resume({ ...handlers, getServiceInfo: getServiceInfo(0n) });
    await expect(resuming).rejects.toThrow('does not show when it was published');
    await expect(resuming).rejects.not.toBeInstanceOf(FatalError);
    expect(await resume({ getObject, getTransaction })).toMatchObject({ checkpoint: 69 });
  });

  test('stops the source if the node has pruned it', async () => {
    const handlers = { getObject, getTransaction: refuse(notFound), getServiceInfo: getServiceInfo(500n) };
    await expect(resume(handlers)).rejects.toMatchObject({ code: 'pruned_cursor' });
  });
});
