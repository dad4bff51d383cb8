import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, execute } from '../account.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

let localnet: Localnet;
let alice: Account;
let packageId: string;
let digest: string;
const hostile = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'explorer-'));
  await mkdir(join(folder, 'sources'));
  await writeFile(
    join(folder, 'Move.toml'),
    '[package]\nname = "notes"\nedition = "2024"\n[addresses]\nnotes = "0x0"\n',
  );
  const source = `module notes::notes {
    use std::string::String;
    public struct Note has key, store { id: UID, text: String }
    public struct Written has copy, drop { text: String }
    public fun write(text: String, ctx: &mut TxContext): Note {
      sui::event::emit(Written { text });
      let mut note = Note { id: object::new(ctx), text };
      sui::dynamic_field::add(&mut note.id, text, 1u8);
      note
    }
    public fun fail() { abort 3 }
  }`;
  await writeFile(join(folder, 'sources/notes.move'), source);
  localnet = await startTestLocalnet();
  alice = await localnet.account();
  ({ packageId } = await localnet.publish(folder));
  await rm(folder, { recursive: true });
  ({ digest } = await execute(alice, (tx) => {
    const note = tx.moveCall({ target: `${packageId}::notes::write`, arguments: [tx.pure.string(hostile)] });
    tx.transferObjects([note], alice.address);
  }));
  localnet.ledger.createCheckpoint();
});
afterAll(() => localnet.close());

async function read(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${localnet.faucetUrl}/explorer${path}`);
  const text = await response.text();
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+';/,
  );
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  // Tags that nothing here writes; what users wrote must be text.
  expect(text).not.toMatch(/<(script|img|svg|iframe|object|base|link)\b/i);
  expect(text).not.toMatch(/<[^>]*\son\w+\s*=/i);
  return { status: response.status, text };
}

test('every page shows what the ledger has, with hostile text as text', async () => {
  const { objects } = localnet.ledger.getTransaction(digest)!;
  const note = objects.find(({ type }) => type.endsWith('::notes::Note'))!.id;
  const shown = '&lt;script&gt;alert(1)&lt;/script&gt;';

  expect((await read('')).text).toContain(digest);
  const checkpoint = await read(`/checkpoints/${localnet.ledger.highestCheckpoint}`);
  expect(checkpoint.text).toContain(digest);
  const transaction = await read(`/transactions/${digest}`);
  for (const part of ['notes::Written', shown, 'TransferObjects', 'created', note]) {
    expect(transaction.text).toContain(part);
  }
  expect((await read(`/objects/${note}`)).text).toContain(shown);
  expect((await read(`/addresses/${alice.address}`)).text).toContain(note);
  expect((await read(`/objects/${packageId}`)).text).toContain(`/explorer/packages/${packageId}/notes`);
  const module = await read(`/packages/${packageId}/notes`);
  for (const part of [
    'struct Note has ',
    'text: 0x1::string::String',
    'public fun write(',
    '&amp;mut 0x2::tx_context',
    '0: ',
  ]) {
    expect(module.text).toContain(part);
  }
});

test('every transaction, object and module of the network has a page', async () => {
  const { ledger } = localnet;
  const transactions = ledger.listTransactions({
    from: { checkpoint: 0n, transactionIndex: 0 },
    to: { checkpoint: ledger.highestCheckpoint + 1n, transactionIndex: 0 },
    ordering: 'ascending',
    limit: 1_000,
  });
  const paths = new Set(
    transactions.flatMap((each) => [
      `/transactions/${each.digest}`,
      ...each.objects.filter(({ id }) => ledger.getObject(id)).map(({ id }) => `/objects/${id}`),
    ]),
  );
  for (const id of ['0x1', '0x2', packageId]) {
    const object = ledger.getObject(id)!;
    if (object.kind === 'package')
      for (const name of object.modules.keys()) paths.add(`/packages/${id}/${name}`);
  }
  for (const path of paths)
    expect({ path, status: (await read(path)).status }).toEqual({ path, status: 200 });
  expect(paths.size).toBeGreaterThan(60);
});

test('what is searched for is found by its kind', async () => {
  const target = async (q: string) => {
    const url = `${localnet.faucetUrl}/explorer/find?q=${encodeURIComponent(q)}`;
    return (await fetch(url, { redirect: 'manual' })).headers.get('location');
  };
  const checkpoint = localnet.ledger.getCheckpoint({ sequence: 1n })!;
  expect(await target(` ${digest} `)).toBe(`/explorer/transactions/${digest}`);
  expect(await target(checkpoint.digest)).toBe('/explorer/checkpoints/1');
  expect(await target(packageId)).toBe(`/explorer/objects/${packageId}`);
  expect(await target(alice.address)).toBe(`/explorer/addresses/${alice.address}`);
  expect(await target('0')).toBe('/explorer/checkpoints/0');
  expect(await target('//evil.example')).toBeNull();
});

test.each([
  ['a negative checkpoint', '/checkpoints/-1'],
  ['a checkpoint above all numbers', '/checkpoints/99999999999999999999'],
  ['a digest that is none', '/transactions/0'],
  ['hostile text as a digest', `/transactions/${encodeURIComponent(hostile)}`],
  ['hostile text as an id', `/objects/${encodeURIComponent(hostile)}`],
  ['a version that is not a whole number', '/objects/0x2?version=1e9'],
  ['an id of many digits', `/objects/${'f'.repeat(5_000)}`],
  ['a module of an object', '/packages/0x6/clock'],
  ['a module with the name of a property', '/packages/0x2/__proto__'],
  ['a module with the name of a folder', '/packages/0x2/..%2f..'],
  ['a search for hostile text', `/find?q=${encodeURIComponent(hostile)}`],
  ['a search for a list', '/find?q[a]=1'],
  ['another path', '/nothing'],
])('%s is not found, and the page says so', async (_name, path) => {
  const { status, text } = await read(path);
  expect(status).toBe(404);
  expect(text).toContain('Not found');
});

test('a position of another list is refused, and a page below zero is the first', async () => {
  expect((await read(`/addresses/${alice.address}?after=${encodeURIComponent(hostile)}`)).status).toBe(400);
  expect((await read('/checkpoints/1?from=-5')).status).toBe(200);
  expect((await read('/checkpoints/1?from=1e300')).status).toBe(200);
});
