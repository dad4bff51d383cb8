import {
  checkWitness,
  findPublishers,
  isVerifiedPublisher,
  readAddressName,
} from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { fromHex } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { createTesterClient } from '../support/tester-client.ts';

const shapes = `
public struct Adaptor has drop {}
public struct Full has drop { amount: u64 }
public struct Flag has drop { flag: bool }
public struct Copied has copy, drop {}
public struct Stored has store, drop {}
public struct Inert {}
public struct Generic<phantom T> has drop {}
public enum Choice has drop { One }
`;

let localnet: Localnet;
let client: ChainClient;
let publisher: Account;
let stranger: Account;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  client = createTesterClient(localnet.rpcUrl);
  publisher = await createAccount(client, localnet.faucetUrl);
  stranger = await createAccount(client, localnet.faucetUrl);
});
afterAll(async () => {
  client.close();
  await localnet.close();
});

function compile(types: string): Promise<CompiledPackage> {
  return compileSources({
    'Move.toml': '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n',
    'sources/adaptor.move': `module demo::adaptor;\n${types}`,
  });
}

const toPackageContent = ({ modules, dependencies }: CompiledPackage) => ({
  modules: modules.map((module) => [...module]),
  dependencies,
});

interface Published {
  packageId: string;
  cap: string;
}

async function publish(types = 'public struct Adaptor has drop {}'): Promise<Published> {
  const content = toPackageContent(await compile(types));
  const executed = await execute(publisher, (tx) => {
    tx.transferObjects([tx.publish(content)], publisher.address);
  });
  return {
    packageId: findCreatedObject(executed, 'package'),
    cap: findCreatedObject(executed, '::package::UpgradeCap'),
  };
}

async function upgrade({ packageId, cap }: Published, types: string): Promise<string> {
  const compiled = await compile(types);
  const executed = await execute(publisher, (tx) => {
    const digest = tx.pure.vector('u8', fromHex(compiled.digest));
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [tx.object(cap), tx.pure.u8(0), digest],
    });
    const receipt = tx.upgrade({ ...toPackageContent(compiled), package: packageId, ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [tx.object(cap), receipt] });
  });
  return findCreatedObject(executed, 'package');
}

describe('the witness of a service type', () => {
  let original: string;
  let upgraded: string;
  beforeAll(async () => {
    const published = await publish(shapes);
    original = published.packageId;
    upgraded = await upgrade(published, `${shapes} public struct Later has drop {}`);
  });

  test('a field-less struct with drop alone is one', async () => {
    expect(await checkWitness(client, `${original}::adaptor::Adaptor`, original)).toEqual({
      status: 'valid',
    });
  });

  test.each([
    ['Full', 'no fields'],
    ['Flag', 'no fields'],
    ['Copied', 'only ability is drop'],
    ['Stored', 'only ability is drop'],
    ['Inert', 'only ability is drop'],
    ['Generic', 'no type parameters'],
    ['Choice', 'is a struct'],
    ['Absent', 'has no type adaptor::Absent'],
  ])('a type that others could forge or construct is not one: %s', async (name, reason) => {
    const check = await checkWitness(client, `${original}::adaptor::${name}`, original);
    expect(check).toEqual({ status: 'invalid', reason: expect.stringContaining(reason) });
  });

  test('an upgraded package answers for the types of its first version, by their first id', async () => {
    const check = (definingId: string, name: string) =>
      checkWitness(client, `${definingId}::adaptor::${name}`, upgraded);
    expect(await check(original, 'Adaptor')).toEqual({ status: 'valid' });
    expect(await check(upgraded, 'Later')).toEqual({ status: 'valid' });
    const reason = (id: string) => expect.stringContaining(`was defined by ${id}`);
    expect(await check(upgraded, 'Adaptor')).toEqual({ status: 'invalid', reason: reason(original) });
    expect(await check(original, 'Later')).toEqual({ status: 'invalid', reason: reason(upgraded) });
  });

  test('the witness of another package is not one', async () => {
    const { packageId: other } = await publish();
    expect(await checkWitness(client, `${other}::adaptor::Adaptor`, original)).toEqual({
      status: 'invalid',
      reason: expect.stringContaining(`was defined by ${original}`),
    });
  });

  test('a package that does not exist has neither a witness nor a verified publisher', async () => {
    const missing = `0x${'c'.repeat(64)}`;
    expect(await checkWitness(client, `${missing}::adaptor::Adaptor`, missing)).toEqual({
      status: 'invalid',
      reason: `There is no package ${missing}.`,
    });
    expect(isVerifiedPublisher(await findPublishers(client, missing), publisher.address)).toEqual({
      status: 'unverified',
    });
  });
});

describe('the publishers of a package', () => {
  const verdict = async (packageId: string, account: Account) =>
    isVerifiedPublisher(await findPublishers(client, packageId), account.address).status;

  test('who published it is verified, by any of its versions, and a stranger is not', async () => {
    const published = await publish();
    const upgraded = await upgrade(published, 'public struct Adaptor has drop {} public fun more() {}');
    for (const packageId of [published.packageId, upgraded]) {
      expect(await verdict(packageId, publisher)).toBe('verified');
      expect(await verdict(packageId, stranger)).toBe('unverified');
    }
  });

  test('who is handed its UpgradeCap is verified from then on', async () => {
    const { packageId, cap } = await publish();
    await execute(publisher, (tx) => tx.transferObjects([tx.object(cap)], stranger.address));
    expect(await verdict(packageId, stranger)).toBe('verified');
    expect(await verdict(packageId, publisher)).toBe('verified');
  });

  test('the cap of a package published beside it verifies no address', async () => {
    const content = toPackageContent(await compile('public struct Adaptor has drop {}'));
    const executed = await execute(publisher, (tx) => {
      tx.transferObjects([tx.publish(content)], publisher.address);
      tx.transferObjects([tx.publish(content)], stranger.address);
    });
    const packages = executed.created.filter(({ type }) => type === 'package');
    const owners = await Promise.all(
      packages.map(async ({ id }) => (await findPublishers(client, id)).upgradeCapOwner),
    );
    expect(owners).toHaveLength(2);
    expect(owners).toEqual(
      expect.arrayContaining([
        { status: 'known', address: publisher.address },
        { status: 'known', address: stranger.address },
      ]),
    );
  });

  test('of a package made immutable, who published it stays verified and no other address is', async () => {
    const { packageId, cap } = await publish();
    await execute(publisher, (tx) => {
      tx.moveCall({ target: '0x2::package::make_immutable', arguments: [tx.object(cap)] });
    });
    expect((await findPublishers(client, packageId)).upgradeCapOwner).toEqual({
      status: 'none',
      reason: expect.stringContaining('destroyed'),
    });
    expect(await verdict(packageId, publisher)).toBe('verified');
    expect(await verdict(packageId, stranger)).toBe('unverified');
  });

  test('a shared cap verifies no address', async () => {
    const content = toPackageContent(await compile('public struct Adaptor has drop {}'));
    const executed = await execute(publisher, (tx) => {
      tx.moveCall({
        target: '0x2::transfer::public_share_object',
        typeArguments: ['0x2::package::UpgradeCap'],
        arguments: [tx.publish(content)],
      });
    });
    const { upgradeCapOwner } = await findPublishers(client, findCreatedObject(executed, 'package'));
    expect(upgradeCapOwner).toMatchObject({ status: 'none', reason: expect.stringContaining('not held') });
  });

  test('a node that pruned the publishing transaction leaves the publisher unknown, for good', async () => {
    const { packageId } = await publish();
    localnet.ledger.createCheckpoint();
    localnet.ledger.createCheckpoint();
    localnet.ledger.prune(localnet.ledger.highestCheckpoint);
    const publishers = await findPublishers(client, packageId);
    expect(isVerifiedPublisher(publishers, publisher.address)).toEqual({
      status: 'unknown',
      retryable: false,
      reason: expect.stringContaining('no longer keeps'),
    });
  });
});

test('the name service names an address, and none of a stranger', async () => {
  const { response } = await client.nameService.lookupName({ name: 'faucet.sui' });
  const read = (address: string) => readAddressName(client, address, 5_000);
  expect(await read(response.record!.targetAddress!)).toEqual({ status: 'found', value: 'faucet.sui' });
  expect((await read(stranger.address)).status).toBe('absent');
});
