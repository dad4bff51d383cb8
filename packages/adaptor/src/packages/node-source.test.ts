import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainClient, createChainClient } from '../chain/client.ts';
import { startNodeDouble } from '../testing/node-double.ts';
import { cachedPackages } from './cached.ts';
import { nodePackages } from './node-source.ts';

const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

const source = 'module m::m;\npublic struct T has drop {}\n';

let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ChainClient;
let answer: (objectId: string) => object | Promise<object>;
let asked: string[];

beforeAll(async () => {
  node = await startNodeDouble({
    getObject: ({ objectId }: { objectId: string }) => {
      asked.push(objectId);
      return answer(objectId);
    },
  });
  client = createChainClient({ url: node.url });
});
afterAll(() => {
  client.close();
  node.close();
});

/** A package as the content of an object: a node names neither its ids nor its version there. */
const upgraded = (contents: Uint8Array) => ({
  object: {
    version: 3n,
    package: {
      modules: [{ name: 'm', contents, datatypes: [], functions: [] }],
      typeOrigins: [{ moduleName: 'm', datatypeName: 'T', packageId: '0xA' }],
      linkage: [{ originalId: '0xd', upgradedId: '0xe', upgradedVersion: 2n }],
    },
  },
});

test('a package is read with the ids that its bytecode, its types and its calls go by', async () => {
  const [compiled] = (await compileSources({ 'Move.toml': moveToml('m'), 'sources/m.move': source })).modules;
  const contents = Uint8Array.from(compiled!);
  // The chain writes the package's id in the place of 0x0.
  contents.set(Buffer.from(id(0xa11ce).slice(2), 'hex'), Buffer.from(contents).indexOf(Buffer.alloc(32)));
  asked = [];
  answer = () => upgraded(contents);
  expect(await nodePackages(client).read('0xB0B')).toEqual({
    id: id(0xb0b),
    originalId: id(0xa11ce),
    version: 3n,
    modules: new Map([['m', contents]]),
    typeOrigins: new Map([['m::T', id(0xa)]]),
    linkage: new Map([[id(0xd), id(0xe)]]),
  });
  expect(asked).toEqual([id(0xb0b)]);
});

test('an object without a package is answered like an absent one', async () => {
  answer = () => ({ object: { version: 1n } });
  const absent = expect.objectContaining({ reason: 'absent', packageId: id(6) });
  await expect(nodePackages(client).read('0x6')).rejects.toThrow(absent);
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
  answer = () => upgraded(Uint8Array.of(1, 2));
  const kept = cachedPackages(nodePackages(client), 10_000);
  for (const wanted of ['0xb0b0b', '0xb0b0b', '0x2', '0x2']) await kept.read(wanted);
  expect(asked).toEqual([id(0xb0b0b), id(2), id(2)]);
});

test('the packages kept have so many bytes, and those unused for longest go first', async () => {
  asked = [];
  answer = () => upgraded(new Uint8Array(4_000));
  const kept = cachedPackages(nodePackages(client), 10_000);
  for (const wanted of [0xf0001, 0xf0002, 0xf0001, 0xf0003, 0xf0001, 0xf0002]) await kept.read(id(wanted));
  expect(asked).toEqual([id(0xf0001), id(0xf0002), id(0xf0003), id(0xf0002)]);
});
