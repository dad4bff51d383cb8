import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describePackage, readPublication, recordPublication } from './project.ts';

const published = { network: 'testnet', packageId: '0xa', upgradeCapId: '0xc' };

async function createProject(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'project-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('the publications of a project are recorded by their chains', async () => {
  const folder = await createProject({ 'listing.json': '{"name": "Jar", "summary": "A jar."}' });
  await recordPublication(folder, 'one', published);
  await recordPublication(folder, 'two', { ...published, packageId: '0xb' });
  expect(JSON.parse(await readFile(join(folder, 'published.json'), 'utf8'))).toEqual({
    one: published,
    two: { ...published, packageId: '0xb' },
  });
});

test.each([
  ['listing.json', { 'listing.json': '{"name": 7}' }, 'listing.json is not valid (name: '],
  [
    'published.json',
    { 'listing.json': '{"name": "Jar", "summary": "A jar."}', 'published.json': 'no JSON' },
    'published.json is not valid (Invalid input',
  ],
])('a package whose %s is not valid is published already: its ids are named', async (_, files, reason) => {
  const recording = recordPublication(await createProject(files), 'one', published);
  await expect(recording).rejects.toThrow(
    /^The package is published as 0xa, with the UpgradeCap 0xc, but its id was not recorded: /,
  );
  await expect(recording).rejects.toThrow(reason);
});

test('a publication is read for its chain alone, and a file that is not valid is refused before anything is signed', async () => {
  const folder = await createProject({ 'listing.json': '{"name": "Jar", "summary": "A jar."}' });
  await recordPublication(folder, 'one', published);
  expect(await readPublication(folder, 'one')).toEqual(published);
  expect(await readPublication(folder, 'two')).toBeUndefined();
  expect(await readPublication(await createProject({}), 'one')).toBeUndefined();
  const faulty = await createProject({ 'listing.json': '{"name": 7}' });
  await expect(readPublication(faulty, 'one')).rejects.toThrow('listing.json is not valid (name: ');
});

const chain = { chainId: 'one', network: 'testnet' };

test('a project lists its links, its sign and its fee', async () => {
  const told = {
    docsUrl: 'https://jar.example/docs',
    repoUrl: 'https://jar.example/code',
    glyph: 'J',
    feeBps: 25,
  };
  const about = { name: 'Jar', summary: 'A jar.', ...told, feeRecipient: '0xF' };
  const folder = await createProject({ 'listing.json': JSON.stringify(about) });
  await recordPublication(folder, 'one', published);
  const feeRecipient = `0x${'f'.padStart(64, '0')}`;
  expect(await describePackage({ folder }, {}, chain)).toEqual({ ...about, feeRecipient, packageId: '0xa' });
});

test.each([
  [
    'objects',
    [],
    'Unknown: objects. It can have name, summary, category, witness, integrator, object, values,',
  ],
  ['feeRecipient', 'treasury', 'feeRecipient: Expected 0x and up to 64 hex digits'],
  ['feeBps', 10_001, 'feeBps: '],
  ['docsUrl', 'docs', 'docsUrl: '],
])('a wrong %s in listing.json is refused with what is valid', async (name, value, reason) => {
  const about = { name: 'Jar', summary: 'A jar.', [name]: value };
  const folder = await createProject({ 'listing.json': JSON.stringify(about) });
  await expect(describePackage({ folder }, {}, chain)).rejects.toThrow(
    `listing.json is not valid (${reason}`,
  );
});
