import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { problem } from '../openapi/parts.ts';
import { introspectionBody } from './introspect.ts';

const source = `module tiny::tiny;
public struct Tiny has drop {}
public fun twice(n: u64): u64 { n * 2 }
public fun lend(): Tiny { Tiny {} }
`;
const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

let contents: Uint8Array;
let reads: string[];
let answer: (packageId: string) => object | Promise<object>;
let node: Awaited<ReturnType<typeof startNodeDouble>>;
let gateway: TestGateway;

beforeAll(async () => {
  const { modules } = await compileSources({ 'Move.toml': moveToml('tiny'), 'sources/tiny.move': source });
  contents = modules[0]!;
  expect(parseModule(contents).struct_defs).toHaveLength(1);
  node = await startNodeDouble({
    getObject: ({ objectId }: { objectId: string }) => {
      reads.push(objectId);
      return answer(objectId);
    },
  });
  gateway = await startTestGateway(undefined, { network: { rpcUrl: node.url } });
});
afterAll(async () => {
  await gateway.close();
  node.close();
});
beforeEach(() => {
  reads = [];
  answer = (packageId) => published(at(packageId));
});

/** The bytecode of the package with this id: the chain writes the id in the place of 0x0. */
function at(packageId: string): Uint8Array {
  const written = Uint8Array.from(contents);
  written.set(Buffer.from(packageId.slice(2), 'hex'), Buffer.from(contents).indexOf(Buffer.alloc(32)));
  return written;
}

function published(bytes: Uint8Array) {
  const modules = [{ name: 'tiny', contents: bytes, datatypes: [], functions: [] }];
  return { object: { version: 1n, package: { modules, typeOrigins: [], linkage: [] } } };
}

const introspect = (body: unknown) => fetch(`${gateway.url}/api/adaptors/introspect`, buildRequest(body));

async function refusal(body: unknown): Promise<[number, string]> {
  const answered = await introspect(body);
  return [answered.status, problem.parse(await answered.json()).code];
}

test('the answer is what the description says, for any spelling of the id', async () => {
  const answered = await introspect({ packageId: '0xA1B2C', network: 'testnet' });
  expect(answered.status).toBe(200);
  expect(answered.headers.get('cache-control')).toBe('no-store');
  const body = introspectionBody.parse(await answered.json());
  expect(body.witnesses).toEqual([
    {
      module: 'tiny',
      name: 'Tiny',
      serviceType: `${id(0xa1b2c)}::tiny::Tiny`,
      warnings: [{ code: 'witness_returned', detail: expect.stringContaining('from tiny::lend, ') }],
    },
  ]);
  expect(body.ops).toMatchObject([
    { fqn: `${id(0xa1b2c)}::tiny::twice`, executable: true, paramCount: 1 },
    { fqn: `${id(0xa1b2c)}::tiny::lend`, executable: true },
  ]);
});

test.each([
  ['a package', id(0xffff_0001)],
  ['a framework package', id(2)],
])('%s is read once, however many ask', async (_, packageId) => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => introspect({ packageId })));
  answers.push(await introspect({ packageId }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reads).toEqual([packageId]);
});

test('what is not there, or no package, is refused as the chain does', async () => {
  for (const code of [grpc.status.NOT_FOUND, grpc.status.INVALID_ARGUMENT]) {
    answer = () => {
      throw new NodeRefusedError(code, 'secret words of the node');
    };
    expect(await refusal({ packageId: id(0xffff_0002) })).toEqual([422, 'package_not_found']);
  }
  answer = () => ({});
  expect(await refusal({ packageId: id(0xffff_0002) })).toEqual([422, 'package_not_found']);
});

test('bytes that are not a module are refused, and name the module', async () => {
  answer = () => published(contents.slice(0, 40));
  const answered = await introspect({ packageId: id(0xffff_0003) });
  const body = problem.parse(await answered.json());
  expect([answered.status, body.code]).toEqual([422, 'unreadable_bytecode']);
  expect(body.detail).toContain(`${id(0xffff_0003)}::tiny`);
});

test('a node that fails is not blamed on the caller, and nothing of it is kept', async () => {
  const packageId = id(0xffff_0004);
  const failing = (code: grpc.status) => () => {
    throw new NodeRefusedError(code, 'secret words of the node');
  };
  answer = failing(grpc.status.UNAVAILABLE);
  expect(await refusal({ packageId })).toEqual([502, 'node_unavailable']);
  answer = failing(grpc.status.DEADLINE_EXCEEDED);
  expect(await refusal({ packageId })).toEqual([504, 'node_timeout']);
  answer = (asked) => published(at(asked));
  expect((await introspect({ packageId })).status).toBe(200);
});

test.each([
  [{}, 'packageId'],
  [{ packageId: 'pool' }, 'packageId'],
  [{ packageId: '0x1', network: 'devnet' }, 'network'],
])('a body of the wrong shape is refused: %j', async (body, field) => {
  const answered = await introspect(body);
  const { code, errors } = problem.parse(await answered.json());
  expect([answered.status, code]).toEqual([400, 'invalid_body']);
  expect(errors?.[0]?.path).toContain(field);
  expect(reads).toEqual([]);
});

test('a field that nobody knows changes nothing, so that newer clients are served', async () => {
  const plain = await introspect({ packageId: '0xA1B2C' });
  const more = await introspect({ packageId: '0xA1B2C', more: 1 });
  expect([plain.status, more.status]).toEqual([200, 200]);
  expect(await more.json()).toEqual(await plain.json());
});

test('a network that this host does not serve is refused before anything is asked', async () => {
  expect(await refusal({ packageId: '0x1', network: 'mainnet' })).toEqual([400, 'network_not_configured']);
  expect(reads).toEqual([]);
});
