import { join, resolve } from 'node:path';
import { fromBase64 } from '@mysten/sui/utils';
import { expect, test } from 'vitest';
import { loadBuilder } from './builder.ts';
import { compilePackage } from './compile.ts';
import { prepared } from './prepared.ts';
import { LocalPackageFetcher, readPackage } from './sources.ts';

const dir = join(import.meta.dirname, '../../../move/escrow');

test.each([`0x${'9'.padStart(64, '0')}`, `0x${'f'.repeat(64)}`])(
  'a package linked to %s is byte for byte the one that the compiler makes for it',
  async (wallet) => {
    const builder = await loadBuilder();
    const compiled = await builder.prepareMovePackagePublish({
      files: prepared(await readPackage(dir), dir, resolve),
      fetcher: new LocalPackageFetcher(() => wallet),
      network: 'testnet',
      silenceWarnings: true,
    });
    if ('error' in compiled) throw new Error(compiled.error);
    const linked = await compilePackage(dir, { published: { wallet } });
    expect(linked).toEqual({
      modules: compiled.modules.map((module) => fromBase64(module)),
      dependencies: compiled.dependencies,
      digest: Buffer.from(compiled.digest).toString('hex'),
    });
  },
);
