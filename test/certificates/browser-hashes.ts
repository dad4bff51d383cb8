import { join } from 'node:path';
import { build } from 'esbuild';
import { Corpus } from '../../packages/adaptor/src/certify/testing/corpus/packages.ts';
import {
  hashFunctions,
  type PlainProgram,
  toPlain,
} from '../../packages/adaptor/src/certify/testing/corpus/program-hash.ts';
import { startChromium } from '../support/chromium.ts';

// `npx node <this file> <folder> [packages]`: certifies packages, spread evenly over a folder of modules, in Node and in a headless
// Chromium. Exits with 1 if a hash differs.
const [folder, count = '1000'] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('Name the folder that contains the modules: browser-hashes.ts <folder> [packages]');

const code = '../../packages/adaptor/src/certify/testing/corpus/program-hash.ts';
const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, code)],
  bundle: true,
  format: 'iife',
  globalName: 'corpus',
  platform: 'browser',
  target: 'es2024',
  write: false,
});
const browser = await startChromium();
const page = await browser.newPage();
await page.addScriptTag({ content: outputFiles[0]!.text });

const corpus = await Corpus.read(folder);
const step = Math.max(1, Math.floor(corpus.packages.length / Number(count)));
const chosen = corpus.packages.filter((_, at) => at % step === 0).slice(0, Number(count));
let functions = 0;
const different: string[] = [];
for (const [at, root] of chosen.entries()) {
  const program = toPlain(corpus.link(root));
  const here = hashFunctions(program);
  const there = await page.evaluate(
    (given: PlainProgram): string[] =>
      (globalThis as unknown as { corpus: { hashFunctions: typeof hashFunctions } }).corpus.hashFunctions(
        given,
      ),
    program,
  );
  functions += here.length;
  if (here.join() !== there.join()) different.push(root.id);
  if ((at + 1) % 100 === 0) process.stderr.write(`${at + 1} of ${chosen.length} packages\n`);
}
await browser.close();
console.log(
  `${chosen.length} packages, ${functions} functions, ${different.length} packages with another hash`,
);
for (const id of different) console.log(id);
if (different.length > 0) process.exitCode = 1;
