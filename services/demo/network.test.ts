import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from './network.ts';

test('a data folder in use is refused, so that no second start removes what the first is making', () => {
  const parent = mkdtempSync(join(tmpdir(), 'marketplace-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'data folder');
  const first = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(/DATA_DIR: another process/);
  first.release();
  lockFolder(folder).release();
});

test('a folder that cannot be locked is not said to be in use', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marketplace-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'localnet.lock'),
    'not a database, but long enough for the header of one'.repeat(10),
  );
  expect(() => lockFolder(folder)).toThrow(
    expect.objectContaining({
      code: 'data_dir_unusable',
      message: expect.stringMatching(/localnet\.lock cannot be locked: file is not a database/),
    }),
  );
});
