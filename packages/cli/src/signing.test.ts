import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './run.ts';
import { readKey } from './signing.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'key-'));
});
afterAll(() => rm(dir, { recursive: true }));

test('a new key is kept for its owner alone, never over another one, and signs as the address printed', async () => {
  const path = join(dir, 'new.key');
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    env: {},
    liveErr: false,
  };
  expect(await run(['new-key', path], io)).toBe(0);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readKey(path, {})).toSuiAddress()).toBe(out.trim());
  const kept = await readFile(path, 'utf8');
  expect(await run(['new-key', path], io)).toBe(1);
  expect(err).toContain(`error: ${path} exists already, and a key is never overwritten.`);
  expect(await readFile(path, 'utf8')).toBe(kept);
  err = '';
  expect(await run(['new-key', dir], io)).toBe(1);
  expect(err).toContain(`error: ${dir} is a folder. Expected the name of a new file`);
});

test('a key file that others can read is refused, with the command that fixes it', async () => {
  const path = join(dir, 'open.key');
  await writeFile(path, new Secp256k1Keypair().getSecretKey());
  await chmod(path, 0o640);
  await expect(readKey(path, {})).rejects.toThrow(`chmod 600 ${path}`);
});

test('keys of every scheme come from the environment too; the option stands before it', async () => {
  const key = new Secp256k1Keypair();
  const env = { SUI_SECRET_KEY: `${key.getSecretKey()}\n` };
  expect((await readKey(undefined, env)).toSuiAddress()).toBe(key.toSuiAddress());
  await expect(readKey(join(dir, 'absent.key'), env)).rejects.toThrow('there is no file');
});

test('no refusal shows a part of the key', async () => {
  const broken = new Secp256k1Keypair().getSecretKey().slice(0, -1);
  const refusal = await readKey(undefined, { SUI_SECRET_KEY: broken }).catch(String);
  expect(refusal).toContain('SUI_SECRET_KEY does not contain a valid key');
  expect(refusal).not.toContain(broken.slice(12, 24));
});
