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

interface Settings {
  /** Beside those that the commands set themselves. */
  env?: Record<string, string>;
  /** `run` of the command line: of the sources, or of an installed package. */
  program?: string;
}

/**
 * Runs what a document has as shell commands in a folder, one block after the other, in a real shell. `npx
 * adaptor-marketplace` is the command line in a process of its own, which runs all of its commands.
 */
export async function runBlocks(
  cwd: string,
  blocks: readonly string[],
  { env = {}, program = sources }: Settings = {},
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
    ...{ cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let errors = '';
  server.stderr.on('data', (chunk) => {
    errors += chunk;
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
