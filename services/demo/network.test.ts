import { mkdtempSync, rmSync } from 'node:fs';
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
