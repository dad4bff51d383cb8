import { type callOptions, findPublishers, isVerifiedPublisher } from '@adaptor-marketplace/adaptor/chain';
import { createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { fromHex } from '@mysten/sui/utils';
import { expect, onTestFinished, test } from 'vitest';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { batchReads } from '../../services/indexer/checks/batched-reads.ts';
import { createCheckReader } from '../../services/indexer/checks/check-reader.ts';
import { startAdaptorNetwork } from '../support/adaptor-network.ts';
import { createTesterClient } from '../support/tester-client.ts';

/** The fields of a package that checks read, with lists in the order of their names. */
function comparable({ storageId, originalId, version, modules }: GrpcTypes.Package) {
  const byName = (a: { name?: string }, b: { name?: string }) => (a.name ?? '').localeCompare(b.name ?? '');
  return {
    storageId,
    originalId,
    version,
    modules: modules
      .map(({ name, datatypes, functions }) => ({ name, datatypes: datatypes.toSorted(byName), functions }))
      .toSorted(byName),
  };
}

async function compile(module: string) {
  const { modules, dependencies, digest } = await compileSources({
    'Move.toml': '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n',
    'sources/adaptor.move': `module demo::adaptor;\n${module}`,
  });
  return { modules: modules.map((one) => [...one]), dependencies, digest };
}

async function startLocalnet() {
  const localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  const client = createTesterClient(localnet.rpcUrl);
  onTestFinished(async () => {
    client.close();
    await localnet.close();
  });
  return { client, createAccount: () => createAccount(client, localnet.faucetUrl) };
}

test('packages that are read in a batch are described as the node describes them', async () => {
  const network = await startAdaptorNetwork();
  onTestFinished(() => network.close());
  const { client, adaptors, venues, coins, walletPackage } = network;
  const protocols = Object.values(venues).map(({ packageId }) => packageId);
  const adaptorIds = Object.values(adaptors).map(({ packageId }) => packageId);
  const ids = [...new Set([...adaptorIds, ...protocols, coins.packageId, walletPackage])];
  const { ledgerService, movePackageService } = client;
  let batches = 0;
  const counted = Object.assign(Object.create(ledgerService), {
    batchGetObjects(request: GrpcTypes.BatchGetObjectsRequest, options: ReturnType<typeof callOptions>) {
      batches += 1;
      return ledgerService.batchGetObjects(request, options);
    },
  });
  const single: string[] = [];
  const reader = createCheckReader({
    ledgerService: batchReads(counted),
    movePackageService: {
      getPackage(request, options) {
        single.push(request.packageId ?? '');
        return movePackageService.getPackage(request, options);
      },
    },
  });
  const missing = `0x${'9'.repeat(64)}`;
  const absent = reader.movePackageService.getPackage({ packageId: missing });
  const refused = Promise.resolve(absent).then(
    () => undefined,
    (error) => error.code,
  );
  const read = await Promise.all(
    ids.map(
      async (packageId) => (await reader.movePackageService.getPackage({ packageId })).response.package!,
    ),
  );
  expect(await refused).toBe('NOT_FOUND');
  const asked = await Promise.all(
    ids.map(async (packageId) => (await movePackageService.getPackage({ packageId })).response.package!),
  );
  expect(read.map(comparable)).toEqual(asked.map(comparable));
  // The node says itself that it has no such package.
  expect({ single, batches }).toEqual({ single: [missing], batches: 1 });
});

test('an upgraded package that is read in a batch is described as the node describes it', async () => {
  const { client, createAccount } = await startLocalnet();
  const publisher = await createAccount();
  const first = 'public struct Adaptor has drop {} public fun use_it(_: Adaptor) {}';
  const content = await compile(first);
  const published = await execute(publisher, (tx) => {
    tx.transferObjects([tx.publish(content)], publisher.address);
  });
  const cap = findCreatedObject(published, '::package::UpgradeCap');
  const later = await compile(`${first} public enum Later has drop { One(u8), Two { at: Adaptor } }`);
  const upgraded = await execute(publisher, (tx) => {
    const digest = tx.pure.vector('u8', fromHex(later.digest));
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [tx.object(cap), tx.pure.u8(0), digest],
    });
    const receipt = tx.upgrade({ ...later, package: findCreatedObject(published, 'package'), ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [tx.object(cap), receipt] });
  });
  const packageId = findCreatedObject(upgraded, 'package');
  const reader = createCheckReader({
    ledgerService: batchReads(client.ledgerService),
    movePackageService: {
      getPackage: () => Promise.reject(new Error('the bytecode has the description')),
    },
  });
  const { response: described } = await reader.movePackageService.getPackage({ packageId });
  const { response: asked } = await client.movePackageService.getPackage({ packageId });
  expect(comparable(described.package!)).toEqual(comparable(asked.package!));
});

test("the holder of another package's UpgradeCap is not a verified publisher, though one transaction published both", async () => {
  const { client, createAccount } = await startLocalnet();
  const [publisher, holder] = [await createAccount(), await createAccount()];
  const [own, other] = [
    await compile('public struct Own has drop {}'),
    await compile('public struct Other has drop {}'),
  ];
  const executed = await execute(publisher, (tx) => {
    const ownCap = tx.publish(own);
    tx.moveCall({ target: '0x2::package::make_immutable', arguments: [ownCap] });
    tx.transferObjects([tx.publish(other)], holder.address);
  });
  const packageIds = executed.created.filter(({ type }) => type === 'package').map(({ id }) => id);
  const verdicts = await Promise.all(
    packageIds.map(async (packageId) => {
      const ledgerService = batchReads(client.ledgerService);
      const reader = createCheckReader({ ledgerService, movePackageService: client.movePackageService });
      const [publishers, { response }] = await Promise.all([
        findPublishers(reader, packageId),
        reader.movePackageService.getPackage({ packageId }),
      ]);
      const type = response.package!.modules[0]!.datatypes[0]!.name!;
      const judge = (account: { address: string }) => isVerifiedPublisher(publishers, account.address).status;
      return [type, { publisher: judge(publisher), holder: judge(holder) }] as const;
    }),
  );
  expect(Object.fromEntries(verdicts)).toEqual({
    Own: { publisher: 'verified', holder: 'unverified' },
    Other: { publisher: 'verified', holder: 'verified' },
  });
});
