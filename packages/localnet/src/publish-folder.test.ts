import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FolderPublisher } from './publish-folder.ts';
import type { Localnet } from './start.ts';
import { startTestLocalnet } from './testing/start.ts';

let localnet: Localnet;
let root: string;
let folder: string;
/** Every text that a publisher saved, the newest last. */
let saved: string[];

beforeAll(async () => {
  localnet = await startTestLocalnet();
  root = await mkdtemp(join(tmpdir(), 'publish-folder-'));
});
afterAll(async () => {
  await localnet.close();
  await rm(root, { recursive: true });
});
beforeEach(async () => {
  saved = [];
  folder = await mkdtemp(join(root, 'p'));
  await mkdir(join(folder, 'sources'));
  await writeFile(
    join(folder, 'Move.toml'),
    '[package]\nname = "greeter"\nedition = "2024"\n[addresses]\ngreeter = "0x0"\n',
  );
  await write('public fun one() {}');
});

const write = (body: string) =>
  writeFile(join(folder, 'sources/greeter.move'), `module greeter::greeter;\n${body}\n`);

/** The publisher of a process that starts when `text` is what an earlier one had saved. */
async function processWith(text: string | undefined, follows = false) {
  let current = text;
  const save = (changed: string) => {
    current = changed;
    saved.push(changed);
  };
  const publisher = new FolderPublisher(localnet, { memory: { load: () => current, save }, follows });
  await publisher.recall();
  return publisher;
}

const idOf = (made: { packageId: string }[]) => made.map(({ packageId }) => packageId);

test('a process that is killed at any moment of a publication leaves one package, which the next one continues', async () => {
  const made = await (await processWith(undefined)).publish(folder);
  // Saved before the transaction was sent, and after it was executed: the first is what a kill between the two leaves.
  expect(saved).toHaveLength(2);
  for (const text of [...saved]) {
    const next = await processWith(text);
    const again = await next.publish(folder);
    expect(idOf(again)).toEqual(idOf(made));
    expect(again).toMatchObject([{ continued: true, upgradeCapId: made[0]!.upgradeCapId }]);
    expect(next.folderOf(made[0]!.packageId)).toBe(folder);
  }
});

test('an upgrade that was executed when the process was killed is the version that the next one upgrades', async () => {
  const first = await processWith(undefined, true);
  await first.publish(folder);
  await write('public fun one() {}\npublic fun two() {}');
  saved = [];
  const [upgraded] = await first.upgrade(folder);
  expect(upgraded).toMatchObject({ kind: 'upgraded' });
  for (const text of [...saved]) {
    const next = await processWith(text, true);
    expect(await next.publish(folder)).toMatchObject([{ continued: true, packageId: versionOf(upgraded) }]);
    expect(await next.upgrade(folder)).toEqual([]);
  }
  await write('public fun one() {}\npublic fun two() {}\npublic fun three() {}');
  const last = await processWith(saved[0], true);
  await last.publish(folder);
  expect(await last.upgrade(folder)).toMatchObject([{ kind: 'upgraded' }]);
});

const versionOf = (outcome: object | undefined) =>
  outcome && 'packageId' in outcome ? outcome.packageId : undefined;

test('a publication that was never sent, or sources that have changed since, are published', async () => {
  const first = await processWith(undefined);
  const made = await first.publish(folder);
  const unsent = JSON.parse(saved[0]!);
  unsent.begun.digest = '11111111111111111111111111111112';
  const next = await processWith(JSON.stringify(unsent));
  expect(idOf(await next.publish(folder))).not.toEqual(idOf(made));
  const after = saved.at(-1);
  await write('public fun other() {}');
  const changed = await (await processWith(after)).publish(folder);
  expect(changed).toMatchObject([{ modules: ['greeter'] }]);
  expect(changed[0]!.continued).toBeUndefined();
});
