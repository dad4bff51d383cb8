import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Io } from './io.ts';

/** A local network on this machine, with the marketplace that follows it. */
export interface LocalNetwork {
  /** Source of the description, for people: a file or the default ports. */
  from: string;
  /** Url of the marketplace; null until its gateway has started. */
  baseUrl: string | null;
  rpcUrl: string;
  faucetUrl: string;
  /** Ids of the packages that adaptors use, by the name in their Move.toml. */
  packages: Readonly<Record<string, string>>;
}

/**
 * Returns `true` if a url leads to this machine. A data folder may have come from somewhere else, together with a
 * marketplace and a node that agree with each other, so no other url in it is used.
 */
export function isOwnMachine(url: string): boolean {
  const { hostname } = URL.parse(url) ?? {};
  if (hostname === undefined) return false;
  return (
    /^(localhost|\[::1?\]|0\.0\.0\.0)$/.test(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}

const ownUrl = z.url({ protocol: /^https?$/ }).refine(isOwnMachine);
/** The part of `demo.json` that commands use. */
const runFile = z.object({
  baseUrl: ownUrl.nullable(),
  rpcUrl: ownUrl,
  faucetUrl: ownUrl,
  packages: z
    .object({ protocols: z.record(z.string(), z.string()), adaptors: z.record(z.string(), z.string()) })
    .transform(({ protocols, adaptors }) => ({ ...protocols, ...adaptors })),
});

const program = join(import.meta.dirname, '../../..');

/**
 * Reads the local networks that data folders describe, running or not: `DATA_DIR`, or `.data` here and beside the
 * program.
 */
export async function readLocalNetworks({ env }: Pick<Io, 'env'>): Promise<LocalNetwork[]> {
  const folders = env.DATA_DIR ? [env.DATA_DIR] : ['.data', join(program, '.data')];
  const found = await Promise.all(folders.map((folder) => readRunFile(join(folder, 'demo.json'))));
  return found.filter((network) => network !== undefined);
}

async function readRunFile(file: string): Promise<LocalNetwork | undefined> {
  try {
    const read = runFile.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return read.success ? { from: file, ...read.data } : undefined;
  } catch {
    // The file is absent, or another program wrote it: it describes no network.
    return undefined;
  }
}

export const defaultUrl = 'http://127.0.0.1:8080';

/** A local network at its default ports whose data folder is not available, such as one in a container. */
export const networkAtDefaultPorts: LocalNetwork = {
  from: 'the default ports',
  baseUrl: defaultUrl,
  rpcUrl: 'http://127.0.0.1:9000',
  faucetUrl: 'http://127.0.0.1:9123',
  packages: {},
};

/** Milliseconds. A busy machine answers late, but a port without a server refuses at once. */
const answerMs = 20_000;

/**
 * Returns the marketplace of the first local network that runs, else the default. A file of an earlier run may name
 * ports that no server uses now.
 */
export async function findLocalMarketplace(io: Pick<Io, 'env'>): Promise<{ url: string; from: string }> {
  for (const { baseUrl, from } of await readLocalNetworks(io)) {
    if (baseUrl !== null && (await isAnswering(`${baseUrl}/healthz`))) return { url: baseUrl, from };
  }
  return { url: defaultUrl, from: 'the default' };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
