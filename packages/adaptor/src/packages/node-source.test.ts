import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainClient, createChainClient } from '../chain/client.ts';
import { startNodeDouble } from '../testing/node-double.ts';
import { cachedPackages } from './cached.ts';
import { nodePackages } from './node-source.ts';

const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ChainClient;
let answer: (packageId: string) => object | Promise<object>;
let asked: string[];

beforeAll(async () => {
  node = await startNodeDouble({
    getPackage: ({ packageId }: { packageId: string }) => {
      asked.push(packageId);
      return answer(packageId);
    },
  });
  client = createChainClient({ url: node.url });
});
afterAll(() => {
  client.close();
  node.close();
});

const upgraded = {
  package: {
    storageId: '0xb0b',
    originalId: '0xa11ce',
    version: 3n,
    modules: [{ name: 'm', contents: Uint8Array.of(1, 2), datatypes: [], functions: [] }],
    typeOrigins: [{ moduleName: 'm', datatypeName: 'T', packageId: '0xA' }],
    linkage: [{ originalId: '0xd', upgradedId: '0xe', upgradedVersion: 2n }],
  },
};

test('a package is read with the ids that its bytecode, its types and its calls go by', async () => {
  asked = [];
  answer = () => upgraded;
  expect(await nodePackages(client).read('0xB0B')).toEqual({
    id: id(0xb0b),
    originalId: id(0xa11ce),
    version: 3n,
    modules: new Map([['m', Uint8Array.of(1, 2)]]),
    typeOrigins: new Map([['m::T', id(0xa)]]),
    linkage: new Map([[id(0xd), id(0xe)]]),
  });
  expect(asked).toEqual([id(0xb0b)]);
});

test('a signal ends a call that the node does not answer', async () => {
  asked = [];
  const gone = new AbortController();
  answer = () => {
    gone.abort();
    return new Promise(() => {});
  };
  await expect(nodePackages(client).read('0xb0b', gone.signal)).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  );
});

test('packages are kept, but for those of the framework, which change under their ids', async () => {
  asked = [];
  answer = () => upgraded;
  const kept = cachedPackages(nodePackages(client), 10_000);
  for (const wanted of ['0xb0b0b', '0xb0b0b', '0x2', '0x2']) await kept.read(wanted);
  expect(asked).toEqual([id(0xb0b0b), id(2), id(2)]);
});

test('the packages kept have so many bytes, and those unused for longest go first', async () => {
  asked = [];
  const module = (contents: Uint8Array) => ({ name: 'm', contents, datatypes: [], functions: [] });
  answer = () => ({ package: { ...upgraded.package, modules: [module(new Uint8Array(4_000))] } });
  const kept = cachedPackages(nodePackages(client), 10_000);
  for (const wanted of [0xf0001, 0xf0002, 0xf0001, 0xf0003, 0xf0001, 0xf0002]) await kept.read(id(wanted));
  expect(asked).toEqual([id(0xf0001), id(0xf0002), id(0xf0003), id(0xf0002)]);
});
