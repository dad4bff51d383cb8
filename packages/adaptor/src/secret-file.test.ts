import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSecretFile } from './secret-file.ts';

test('a named pipe is refused, and not waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', path]);
  await expect(readSecretFile(path)).rejects.toThrow(`${path} is not a regular file`);
});
