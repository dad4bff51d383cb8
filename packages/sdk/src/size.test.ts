import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';

/** Bundles some exports for a browser, without `@mysten/sui`. `bytes` is the compressed size. */
async function bundled(contents: string): Promise<{ bytes: number; inputs: Metafile['inputs'] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    external: ['@mysten/sui'],
    metafile: true,
  });
  return { bytes: gzipSync(outputFiles[0]!.contents).length, inputs: metafile.inputs };
}

test('all of the sdk has less than 40 kB, and no module of Node', async () => {
  const everything = ['index', 'transactions', 'verify'].map((name) => `export * from './${name}.ts';`);
  // For a browser, esbuild refuses the modules of Node.
  const { bytes } = await bundled(everything.join('\n'));
  expect(bytes).toBeLessThan(40_000);
  expect(bytes).toBeGreaterThan(5_000);
});

test('what is not used is not in the bundle', async () => {
  expect((await bundled("export { verifyWebhook } from './index.ts';")).bytes).toBeLessThan(2_000);
  expect((await bundled("export { register } from './transactions.ts';")).bytes).toBeLessThan(2_000);
});

test('a client of the API needs no library of the chain', async () => {
  const { inputs } = await bundled("export * from './index.ts';");
  expect(Object.keys(inputs).filter((path) => /adaptor\/src|node_modules|@mysten/.test(path))).toEqual([]);
});
