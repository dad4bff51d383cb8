import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveDir, publishedFolders } from '../introspect/testing/packages.ts';
import { Certifier } from './certify.ts';
import { Corpus } from './testing/corpus/packages.ts';
import { Statistics } from './testing/corpus/statistics.ts';

test('the modules of a folder are packages that are linked by their own addresses', async () => {
  const folders = await publishedFolders([join(moveDir, 'wallet'), join(moveDir, 'adaptors/term_savings')]);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'corpus-'));
  const written: string[] = [];
  for (const name of ['wallet', 'term_savings']) {
    const { id, modules } = await folders.read(folders.deriveId(name));
    for (const [module, bytes] of modules) {
      const file = `${written.length}_${id}_${module}.mv`;
      written.push(file);
      await writeFile(join(folder.path, file), bytes);
    }
  }
  await writeFile(join(folder.path, 'README.md'), 'not a module');

  const corpus = await Corpus.read(folder.path);
  expect(corpus.packages).toHaveLength(2);
  const root = corpus.packages.find(({ originalId }) => originalId === folders.deriveId('term_savings'))!;
  const certifier = new Certifier(corpus.link(root));
  const certificates = certifier.targets.map((target) => certifier.certify(target));
  const statistics = new Statistics();
  statistics.add(certificates, 12);
  expect(statistics.describe()).toContain(`1 packages, ${certificates.length} callable functions, 0 crashes`);
  expect(statistics.describe()).toContain('functions not read as a whole: 0 (0.00 %)');
});
