import vm from 'node:vm';
import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { compileSources } from '../compile.ts';
import { moveToml } from '../scratch-packages.ts';
import { prepareSource, readZip } from './browser.ts';

test('source is prepared and compared in a browser, without a module or global of Node, as in Node', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './browser.ts'; export * from '@adaptor-marketplace/move-bytecode/compare';`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'iife',
    globalName: 'verify',
    platform: 'browser',
    target: 'es2024',
    write: false,
    logLevel: 'silent',
  });
  const page = vm.createContext({
    TextEncoder,
    TextDecoder,
    URL,
    AbortController,
    AbortSignal,
    Blob,
    Response,
    crypto,
    setTimeout,
    clearTimeout,
    ReadableStream,
    WritableStream,
    TransformStream,
    CompressionStream,
    DecompressionStream,
    navigator: { hardwareConcurrency: 2 },
  });
  vm.runInContext(outputFiles[0]!.text, page);

  const files = {
    'Move.toml': moveToml('egg'),
    'sources/egg.move': 'module egg::egg;\npublic fun one(): u64 { 1 }\n',
  };
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, text] of Object.entries(files)) await writer.add(path, new Blob([text]).stream());
  page.archive = await writer.close();
  const prepared = await vm.runInContext(
    'verify.readZip(archive).then((files) => verify.prepareSource(files))',
    page,
  );
  expect(prepared.hash).toBe(prepareSource(await readZip(page.archive)).hash);

  page.modules = (await compileSources(files)).modules;
  expect(vm.runInContext('verify.comparePackages(modules, modules).verdict', page)).toBe('exact');
});
