import { SuiGrpcClient } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GrpcServer, serveGrpc } from '../server/serve.ts';
import { nameService } from './name.ts';
import { NameTable } from './names.ts';

const address = (digit: string) => `0x${digit.padStart(64, '0')}`;
const entries = [
  { name: 'demo.sui', address: address('a') },
  { name: 'shop.demo.sui', address: address('b') },
  { name: 'stays.sui', address: address('f') },
  { name: 'gone.sui', address: address('f') },
  { name: 'gone.sui', address: address('d') },
  { name: 'moved.sui', address: address('c') },
  { name: 'moved.sui', address: address('d') },
];

let server: GrpcServer;
let client: SuiGrpcClient;
beforeAll(async () => {
  const services = [nameService(new NameTable(entries))];
  server = await serveGrpc({ host: '127.0.0.1', port: 0, services });
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: server.url });
});
afterAll(() => server.close());

const resolve = async (name: string) => (await client.core.resolveNameServiceAddress({ name })).address;

test.each([
  ['demo.sui', 'a'],
  ['@demo', 'a'],
  ['DEMO.sui', 'a'],
  ['shop.demo.sui', 'b'],
  ['shop@demo', 'b'],
  ['moved.sui', 'd'],
])('%s points to its address', async (name, digit) => {
  expect(await resolve(name)).toBe(address(digit));
});

test('an unregistered name resolves to nothing, and what is not a name is refused', async () => {
  expect(await resolve('nobody.sui')).toBeNull();
  for (const name of ['', 'nodots', 'a b.sui', 'x.eth', `${'a'.repeat(300)}.sui`]) {
    await expect(client.nameService.lookupName({ name })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
});

test('an address has its name, and an address whose name moved on has none', async () => {
  const { response } = await client.nameService.reverseLookupName({ address: '0xb' });
  expect(response.record).toMatchObject({ name: 'shop.demo.sui', targetAddress: address('b') });
  const other = await client.nameService.reverseLookupName({ address: address('f') });
  expect(other.response.record?.name).toBe('stays.sui');
  for (const digit of ['c', 'e']) {
    const unnamed = client.nameService.reverseLookupName({ address: address(digit) });
    await expect(unnamed).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});
