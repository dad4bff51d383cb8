import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { cached, outputsDir } from './cache.ts';

test('the same inputs are compiled once, a damaged entry again, and nothing unfinished stays', async () => {
  const marker = randomUUID();
  const output = { modules: [marker], dependencies: ['0x1'], digest: [1, 2, 255] };
  const compile = vi.fn(async () => output);
  const inputs = ['1.0.0', marker];
  expect(await cached(inputs, compile)).toEqual(output);
  expect(await cached(inputs, compile)).toEqual(output);
  expect(compile).toHaveBeenCalledTimes(1);

  const path = join(outputsDir, await entryHolding(marker));
  await writeFile(path, '{"modules":');
  expect(await cached(inputs, compile)).toEqual(output);
  expect(compile).toHaveBeenCalledTimes(2);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(output);
  await rm(path);
});

async function entryHolding(marker: string): Promise<string> {
  for (const name of await readdir(outputsDir)) {
    if ((await readFile(join(outputsDir, name), 'utf8')).includes(marker)) return name;
  }
  throw new Error('no entry was written');
}

test('a failed compilation leaves nothing behind', async () => {
  const inputs = [randomUUID()];
  await expect(cached(inputs, () => Promise.reject(new Error('does not compile')))).rejects.toThrow();
  const compile = vi.fn(async () => ({ modules: [], dependencies: [], digest: [] }));
  await cached(inputs, compile);
  expect(compile).toHaveBeenCalledTimes(1);
});
