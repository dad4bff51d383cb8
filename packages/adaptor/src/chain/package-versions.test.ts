import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { publishCompiled, type Upgradable, upgrade } from '@adaptor-marketplace/localnet/upgrade';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ChainClient, createChainClient } from './client.ts';
import { packageVersions, readLineage, type VersionReader } from './package-versions.ts';

let localnet: Localnet;
let client: ChainClient;
let publisher: Account;
/** A package that gets one more version in each test that calls `addVersion`. */
let shop: Upgradable;
let ids: string[];

beforeAll(async () => {
  localnet = await startTestLocalnet();
  client = createChainClient({ url: localnet.rpcUrl });
  publisher = await createAccount(client, localnet.faucetUrl);
  shop = await publishCompiled(publisher, await compileShop(1));
  ids = [shop.originalId];
});
afterAll(async () => {
  client.close();
  await localnet.close();
});
beforeEach(() => localnet.misbehaviour.reset());

const compileShop = (functions: number) =>
  compileSources({
    'Move.toml': moveToml('shop'),
    'sources/shop.move': `module shop::shop;\n${Array.from({ length: functions }, (_, index) => `public fun f${index}(): u64 { ${index} }`).join('\n')}\n`,
  });

async function addVersion(): Promise<string> {
  const { upgradeCapId } = shop;
  const newer = await upgrade(
    publisher,
    { packageId: ids.at(-1)!, upgradeCapId },
    await compileShop(ids.length + 1),
  );
  ids.push(newer);
  return newer;
}

/** A client that counts its calls to the node, a clock set by hand, and the versions that use both. */
function watched() {
  const asked: string[] = [];
  const { movePackageService: service } = client;
  const reader: VersionReader = {
    movePackageService: {
      getPackage(request, options) {
        asked.push('getPackage');
        return service.getPackage(request, options);
      },
      listPackageVersions(request, options) {
        asked.push('listPackageVersions');
        return service.listPackageVersions(request, options);
      },
    },
  };
  const clock = { ms: 0 };
  const versions = packageVersions(reader, { now: () => clock.ms, freshMs: 60_000, retryMs: 5_000 });
  return { asked, clock, versions };
}

const found = (value: unknown) => ({ status: 'found', value });

test('the newest version is found by the first id, a later one after a minute, and all of them in their order', async () => {
  const { asked, clock, versions } = watched();
  expect(await versions.newest(shop.originalId)).toEqual(found(ids.at(-1)));
  const older = ids.at(-1);
  const newer = await addVersion();
  clock.ms = 59_999;
  expect(await versions.newest(shop.originalId)).toEqual(found(older));
  expect(asked).toEqual(['listPackageVersions']);
  clock.ms = 60_000;
  expect(await versions.newest(shop.originalId)).toEqual(found(newer));
  expect(await versions.all(shop.originalId)).toEqual(found(ids));
  expect(asked).toHaveLength(2);
});

test('versions are read again although the clock of the machine was set back', async () => {
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  let calls = 0;
  const answer = { response: { versions: [{ packageId: shop.originalId, version: 1n }] } };
  const listPackageVersions = async () => {
    calls++;
    return answer;
  };
  const { movePackageService } = client;
  const getPackage = movePackageService.getPackage.bind(movePackageService);
  const versions = packageVersions(
    { movePackageService: { getPackage, listPackageVersions } },
    { freshMs: 0 },
  );
  await versions.newest(shop.originalId);
  clock.mockReturnValue(Date.now() - 3_600_000);
  await versions.newest(shop.originalId);
  expect(calls).toBe(2);
});

test('those who ask at once share one reading, whichever way they write the id', async () => {
  const { asked, versions } = watched();
  const spellings = [shop.originalId, shop.originalId.toUpperCase().replace('0X', '0x')];
  const answers = await Promise.all(spellings.flatMap((id) => [versions.newest(id), versions.newest(id)]));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(asked).toEqual(['listPackageVersions']);
});

test('a node that does not answer leaves what was known, and is asked again before long', async () => {
  const { asked, clock, versions } = watched();
  localnet.misbehaviour.set({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1 } });
  expect(await versions.newest(shop.originalId)).toMatchObject({ status: 'unavailable' });
  localnet.misbehaviour.reset();
  expect(await versions.newest(shop.originalId)).toEqual(found(ids.at(-1)));

  const older = ids.at(-1);
  const newer = await addVersion();
  localnet.misbehaviour.set({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1 } });
  clock.ms = 60_000;
  expect(await versions.newest(shop.originalId)).toEqual(found(older));
  localnet.misbehaviour.reset();
  const before = asked.length;
  clock.ms = 64_999;
  expect(await versions.newest(shop.originalId)).toEqual(found(older));
  expect(asked).toHaveLength(before);
  clock.ms = 65_000;
  expect(await versions.newest(shop.originalId)).toEqual(found(newer));
});

test('the first version of any version is asked for once', async () => {
  const { asked, versions } = watched();
  const newer = await addVersion();
  expect(await versions.readOriginalId(newer)).toEqual(found(shop.originalId));
  expect(await versions.readOriginalId(newer)).toEqual(found(shop.originalId));
  expect(await versions.readOriginalId(shop.originalId)).toEqual(found(shop.originalId));
  expect(asked).toEqual(['getPackage', 'getPackage']);
  expect(await versions.readOriginalId(`0x${'e'.repeat(64)}`)).toMatchObject({ status: 'absent' });
});

test('a package that does not exist is absent; on a node without the index, the first version stands alone', async () => {
  const { versions } = watched();
  expect(await versions.newest(`0x${'e'.repeat(64)}`)).toMatchObject({ status: 'absent' });
  await addVersion();
  localnet.misbehaviour.set({ refuseLists: true });
  expect(await readLineage(client, shop.originalId)).toEqual(
    found({ ids: [shop.originalId], listed: false }),
  );
  expect(await versions.newest(shop.originalId)).toEqual(found(shop.originalId));
});

test('every page is read, and a node behind the checkpoint that is asked about has not answered', async () => {
  await addVersion();
  const { movePackageService: service } = client;
  const small: VersionReader = {
    movePackageService: {
      getPackage: (request) => service.getPackage(request),
      listPackageVersions: (request) => service.listPackageVersions({ ...request, pageSize: 1 }),
    },
  };
  expect(await readLineage(small, shop.originalId)).toEqual(found({ ids, listed: true }));
  const { response } = await client.ledgerService.getServiceInfo({});
  const height = Number(response.checkpointHeight);
  expect(await readLineage(client, shop.originalId, { asOf: height })).toMatchObject({ status: 'found' });
  expect(await readLineage(client, shop.originalId, { asOf: height + 1_000 })).toMatchObject({
    status: 'unavailable',
    reason: expect.stringMatching(/^the node is at checkpoint \d+, not yet at \d+$/),
  });
});
