import framework from 'build:framework';
import oldest from 'build:wasm/1.26.2';
import older from 'build:wasm/1.58.3';
import newest from 'build:wasm/1.71.1';
import type {
  Builder,
  BuildHost,
  CompilerVersion,
  FrameworkPart,
} from '@adaptor-marketplace/move-toolchain/verify/anywhere';
import * as builder from '@zktx.io/sui-move-builder/full';

const wasmUrls: Record<CompilerVersion, string> = { '1.71.1': newest, '1.58.3': older, '1.26.2': oldest };

type Framework = Record<FrameworkPart, Record<string, string>>;

/** Megabytes with one digit behind the point. */
const formatMb = (bytes: number) => (bytes / 1_000_000).toFixed(1);

/** Longest time without one more byte of a file, in milliseconds. */
const stallMs = 30_000;

/** Reads a compressed file of this site, and reports how much of it has come. */
async function readFile(url: string, name: string, report: (step: string) => void): Promise<Response> {
  const stalled = new AbortController();
  const stop = () => stalled.abort(new Error(`This site does not send ${name}. Try again.`));
  let timer = setTimeout(stop, stallMs);
  const answer = await fetch(url, { signal: stalled.signal });
  if (!answer.ok || !answer.body) throw new Error(`This site has no file for ${name}. Reload the page.`);
  const total = Number(answer.headers.get('content-length'));
  let bytes = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      clearTimeout(timer);
      timer = setTimeout(stop, stallMs);
      bytes += chunk.length;
      report(`Loading ${name}: ${formatMb(bytes)} of ${formatMb(total)} MB…`);
      controller.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(answer.body.pipeThrough(counted).pipeThrough(new DecompressionStream('gzip')));
}

const loadOld = {
  '1.58.3': () => import('build:glue/1.58.3'),
  '1.26.2': () => import('build:glue/1.26.2'),
};

/** Loads all that a build by a compiler needs, from this site. `report` gets each step. */
export async function loadHost(
  compiler: CompilerVersion,
  report: (step: string) => void,
): Promise<BuildHost> {
  const load = async (version: CompilerVersion) =>
    (await readFile(wasmUrls[version], `the compiler of Sui ${version}`, report)).bytes();
  // The newest one finds the packages that a package uses for all of them.
  await builder.initMovePackageBuilder({ wasm: await load('1.71.1') });
  const old = compiler === '1.71.1' ? undefined : await loadOld[compiler]();
  await old?.default({ module_or_path: await load(compiler) });
  const parts: Framework = await (await readFile(framework, "Sui's framework", report)).json();
  return {
    readFrameworkPart: async (part) => parts[part],
    loadBuilder: async (): Promise<Builder> => builder,
    loadOldCompiler: async () => old!,
  };
}
