import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const shellBlock = /^```sh\n(.*?)^```$/gms;
const sources = join(import.meta.dirname, '../../../packages/cli/src/run.ts');

/** The shell commands of a document, block by block. */
export const shellBlocks = (document: string): string[] =>
  [...document.matchAll(shellBlock)].map(([, commands]) => commands!);

const transcript = /^```sh\n(?:(?!```).*\n)*```\n\n```\n((?:(?!```).*\n)*)```$/gm;
/** Ids, uris, digests, times, amounts and gas, which differ in each run, and the end of a line that a document cuts. */
const varying =
  /(?:0x)?[0-9a-f]{4}…[0-9a-f]{0,4}|walrus:\S+|127\.0\.0\.1:\d+|[1-9A-HJ-NP-Za-km-z]{43,44}|\d{4}-\d\d-\d\dT[\d:]+|\d{7,}|\d+\.\d{4,}|…$/;

/** The lines that a document shows as printed by its commands, as patterns. A line `…` stands for lines left out. */
export function shownLines(document: string): RegExp[] {
  const lines = [...document.matchAll(transcript)].flatMap(([, printed]) => printed!.trimEnd().split('\n'));
  return lines
    .filter((line) => line !== '' && line !== '…')
    .map((line) => {
      const parts = line.split(varying).map((part) => RegExp.escape(part));
      return new RegExp(`^${parts.join('\\S+')}${line.endsWith('…') ? '.*' : ''}$`, 'm');
    });
}

interface Settings {
  /** Variables in addition to those that the commands set themselves. */
  env?: Record<string, string>;
  /** File that exports the command line's `run`: in the sources, or in an installed package. */
  program?: string;
  /** Receives what the commands write to their error output. */
  onErr?(text: string): void;
}

/**
 * Runs the shell commands of a document in a folder, one block after another, in a real shell. One process runs all
 * commands of `npx adaptor-marketplace`.
 */
export async function runBlocks(
  cwd: string,
  blocks: readonly string[],
  { env = {}, program = sources, onErr }: Settings = {},
): Promise<string> {
  const socket = join(cwd, 'cli.socket');
  const npx = `npx() {
    [ "$1" = adaptor-marketplace ] || { command npx "$@"; return; }
    shift
    { env -0; printf '\\0'; printf '%s\\0' "$@"; } | curl -sSf --unix-socket '${socket}' --data-binary @- http://cli/
  }`;
  await writeFile(join(cwd, 'commands.sh'), ['set -euo pipefail', npx, ...blocks].join('\n'));
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd, env: { PATH, HOME, NODE_COMPILE_CACHE, ...env }, maxBuffer: 2 ** 24 };
  const server = spawn(process.execPath, [join(import.meta.dirname, 'command-server.ts'), socket, program], {
    cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  server.stderr.on('data', (chunk) => {
    errors += chunk;
    onErr?.(String(chunk));
  });
  try {
    await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
    return (await promisify(execFile)('bash', ['commands.sh'], options)).stdout;
  } catch (error) {
    throw new Error(`${error}\n${errors}`, { cause: error });
  } finally {
    server.kill();
    await rm(socket, { force: true });
  }
}
