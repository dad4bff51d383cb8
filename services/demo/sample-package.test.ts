import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { toBase64 } from '@mysten/sui/utils';
import { expect, test } from 'vitest';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { compileSamplePackage } from './sample-package.ts';

const wallet = `0x${'ab'.repeat(32)}`;

test('the sample package is linked to the wallet package of the request, whichever was requested first', async () => {
  const other = `0x${'cd'.repeat(32)}`;
  const [first, second] = await Promise.all([compileSamplePackage(wallet), compileSamplePackage(other)]);
  expect(first.dependencies).toContain(wallet);
  expect(second.dependencies).toContain(other);
  expect(second.dependencies).not.toContain(wallet);
  expect(await compileSamplePackage(wallet)).toBe(first);
  const path = join(moveDir, 'adaptors/pocket_money');
  const { modules } = await compilePackage(path, { published: { wallet } });
  expect(first.modules).toEqual(modules.map((module) => toBase64(module)));
});

test('the process that serves requests does not compile: it never loads the compiler', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    // The thread alone does not keep the process running.
    setInterval(() => undefined, 1_000);
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { compileSamplePackage } = await import(${JSON.stringify(new URL('./sample-package.ts', import.meta.url).href)});
    const { modules } = await compileSamplePackage(${JSON.stringify(wallet)});
    console.log(JSON.stringify([modules.length, loaded.filter((url) => url.includes('move-'))]));
    process.exit();`;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sample-'));
  const file = join(folder.path, 'script.mjs');
  await writeFile(file, script);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(JSON.parse(stdout)).toEqual([1, []]);
});

test('a failure is not cached', async () => {
  const away = `0x${'ef'.repeat(32)}`;
  await expect(compileSamplePackage(away, () => Promise.reject(new Error('no compiler')))).rejects.toThrow(
    'no compiler',
  );
  const made = { modules: [], dependencies: [away] };
  expect(await compileSamplePackage(away, async () => made)).toBe(made);
});
