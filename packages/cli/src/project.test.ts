import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readPublication, recordPublication } from './project.ts';

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
