import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { type Unpacked, unpackedPackage } from './debian-package.ts';

interface Program {
  executablePath: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A headless Chromium: the one at `TEST_CHROMIUM`, else one on the PATH. On Debian it is otherwise downloaded from the
 * distribution to `node_modules/.cache`. The headless shell, which draws no window, comes before the whole browser: the
 * same pages take it half of the processor time.
 * @throws Error that says what to install
 */
export async function startChromium(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  const defined = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return await chromium.launch({
    executablePath,
    env: Object.fromEntries(defined),
    // The sandbox needs rights that root in a container lacks. A process for each page took a fifth more processor time.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--process-per-site'],
  });
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of this worker, which its test files use one after another. Starting one takes a second of processor time.
 * It ends with the worker: playwright stops it, and it stops itself when its pipe closes.
 */
export function shareChromium(): Promise<Browser> {
  shared ??= startChromium();
  return shared;
}

/** Closes all pages of a shared browser, at the end of a test file. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

async function findChromium(): Promise<Program> {
  const named = process.env.TEST_CHROMIUM;
  const candidates = named
    ? [named]
    : ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  for (const executablePath of candidates) {
    const program = await runs({ executablePath, env: process.env });
    if (program) return { ...program, executablePath: await findProgramPath(executablePath) };
  }
  const packages = ['chromium-headless-shell', 'chromium'];
  const inPackage = async ({ folder, env }: Unpacked) => {
    const [shell, browser] = packages.map((name) => join(folder, 'usr/lib/chromium', name));
    return (await runs({ executablePath: shell!, env })) ?? (await runs({ executablePath: browser!, env }));
  };
  return await unpackedPackage('chromium-headless', packages, inPackage).catch((cause) => {
    throw new Error('No Chromium to test with: install chromium, or set TEST_CHROMIUM to its path.', {
      cause,
    });
  });
}

const run = promisify(execFile);

const runs = (program: Program): Promise<Program | undefined> =>
  run(program.executablePath, ['--version', '--no-sandbox'], { env: program.env }).then(
    () => program,
    () => undefined,
  );

const findProgramPath = async (program: string): Promise<string> =>
  program.includes('/') ? program : (await run('which', [program])).stdout.trim();
