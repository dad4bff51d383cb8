import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { islands, workers } from '../frame/page.ts';
import { buildFiles } from './build-files.ts';

/** A file that pages load. Its name has a hash of its content, so browsers may cache it without expiry. */
interface Asset {
  body: Buffer;
  contentType: string;
  /** Headers beside those of all answers, names and values in turn. */
  headers: string[];
}

/** Bundled files by name, and their urls by the name of the source file. */
interface Assets {
  files: ReadonlyMap<string, Asset>;
  urls: ReadonlyMap<string, string>;
}

const root = join(import.meta.dirname, '..');
/** Output folder of `npm run build:site`, for hosts that install no development dependencies. */
const built = join(root, 'built');

/** A worker has the policy of its own file, not that of the page. They read from a node that the reader chooses. */
const workerPolicies: Readonly<Record<string, string>> = {
  'recompute.ts': "default-src 'none'; script-src 'self'; connect-src http: https:",
  // The compiler is WebAssembly. Each build has a worker of its own.
  'rebuild.ts':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src http: https:",
};

function pickContentType(name: string): string {
  if (name.endsWith('.gz')) return 'application/gzip';
  return name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
}

async function bundle(): Promise<Map<string, Buffer>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [
      ...['frame', ...islands].map((name) => join(root, `islands/${name}.ts`)),
      ...Object.entries(workers).map(([name, folder]) => join(root, `islands/${folder}/${name}.ts`)),
      join(root, 'site.css'),
    ],
    outdir: '/',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/assets',
    plugins: [buildFiles],
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
}

async function readBuilt(): Promise<Map<string, Buffer>> {
  const names = await readdir(built);
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(join(built, name))]),
    ),
  );
}

/** Returns the name of the source of a bundled file. */
const toSource = (name: string): string =>
  name.replace(/-[A-Z0-9]{8}\.(js|css)$/, (_, type) => (type === 'js' ? '.ts' : '.css'));

async function load(): Promise<Assets> {
  const bodies = existsSync(built) ? await readBuilt() : await bundle();
  const files = new Map(
    [...bodies].map(([name, body]) => {
      const policy = workerPolicies[toSource(name)];
      const headers = policy === undefined ? [] : ['content-security-policy', policy];
      return [name, { body, contentType: pickContentType(name), headers }];
    }),
  );
  const urls = new Map([...bodies.keys()].map((name) => [toSource(name), `/assets/${name}`]));
  return { files, urls };
}

let loaded: Promise<Assets> | undefined;

/** Returns the scripts and styles. The first call of the process bundles them, so that one that serves no page does not. */
export function assets(): Promise<Assets> {
  loaded ??= load();
  return loaded;
}

if (import.meta.main) {
  await mkdir(built, { recursive: true });
  for (const [name, body] of await bundle()) await writeFile(join(built, name), body);
}
