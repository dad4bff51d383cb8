import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Bind, makeFolder, replaceFile } from '@adaptor-marketplace/process';
import { FatalError } from '../errors/index.ts';

// Not `get-port`: it closes the port that it found, and another process can take it before the server listens.

/** Ports that others know: people, programs, and the roles that are processes of their own. */
const users = {
  PORT: 'the HTTP API',
  LOCALNET_PORT: 'the local network',
  LOCALNET_FAUCET_PORT: 'the faucet',
  LOCALNET_BLOBS_PORT: 'the blob store',
  EMBEDDED_POSTGRES_PORT: 'the embedded PostgreSQL',
} as const;

export type PortSetting = keyof typeof users;

export interface PortChoice {
  readonly setting: PortSetting;
  /** 0: any free one. */
  readonly port: number;
  /** `true` if the operator set the port, so that no other port may be used. Never `true` with port 0. */
  readonly required: boolean;
}

/** Ports that were in use, and the port that was opened. */
interface PortUse {
  readonly taken: readonly number[];
  readonly port: number;
}

/** Returns a notice if ports were in use, or if the port of earlier starts was used and not the default. */
function describePort(
  { setting, port: preferred }: PortChoice,
  { taken, port }: PortUse,
): string | undefined {
  const user = users[setting];
  if (taken.length > 0) {
    const inUse = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(' and ')} are`;
    return `${inUse} in use: ${user} uses ${port} instead. Set ${setting} to choose one.`;
  }
  if (preferred === 0 || port === preferred) return undefined;
  return `Port ${port}, as at earlier starts, instead of ${preferred}: ${user}. Set ${setting} to choose one.`;
}

export interface OpenPortOptions {
  choice: PortChoice;
  /** File that remembers the port for the next start. */
  file: string;
  /**
   * Port that is tried first if none is required. `remembered` stays with the port that clients may already use.
   * `default` returns to the well-known port as soon as it is free.
   */
  first: 'remembered' | 'default';
  /** Receives a notice for the operator about the port. */
  notify?: ((notice: string) => void) | undefined;
}

/**
 * Listens on the port of a setting: exactly that one if the operator set it. Otherwise a port in use is replaced by a
 * free one, which is remembered for the next start. @throws what `listen` throws, for a required port or for another
 * reason
 */
export async function openPort(
  { choice, file, first, notify }: OpenPortOptions,
  listen: (port: number) => Promise<unknown>,
): Promise<number> {
  if (choice.required) {
    await listen(choice.port);
    return choice.port;
  }
  const remembered = await readPort(file);
  const wellKnown = first === 'remembered' ? [remembered, choice.port] : [choice.port, remembered];
  const use = await findFirstFree(new Set(wellKnown.flatMap((port) => port || [])), listen);
  if (first === 'remembered' || use.port !== choice.port) await rememberPort(file, use.port);
  const notice = describePort(choice, use);
  if (notice !== undefined) notify?.(notice);
  return use.port;
}

/** Returns `openPort` with its options bound, for servers that take the function that picks their port. */
export function bindPort(options: OpenPortOptions): Bind {
  return (listen) => openPort(options, listen);
}

/** Range of replacement ports, below those of outgoing connections, which could hold one at a restart. */
const [freeFrom, freeTo] = [20_000, 30_000];
const picksMax = 20;

async function findFirstFree(
  wellKnown: ReadonlySet<number>,
  listen: (port: number) => Promise<unknown>,
): Promise<PortUse> {
  const taken: number[] = [];
  for (const port of wellKnown) {
    if (await isFree(port, listen)) return { taken, port };
    taken.push(port);
  }
  for (let picks = 0; picks < picksMax; picks += 1) {
    const port = randomInt(freeFrom, freeTo);
    if (await isFree(port, listen)) return { taken, port };
  }
  throw new FatalError('no_free_port', `No free port from ${freeFrom} to ${freeTo - 1} was found.`);
}

/** `true` if `listen` succeeded, `false` if the port is in use or reserved. @throws any other error of `listen` */
async function isFree(port: number, listen: (port: number) => Promise<unknown>): Promise<boolean> {
  try {
    await listen(port);
    return true;
  } catch (error) {
    const { syscall, code }: { syscall?: unknown; code?: unknown } = Object(error);
    if (syscall === 'listen' && (code === 'EADDRINUSE' || code === 'EACCES')) return false;
    throw error;
  }
}

/** Returns the port that the file remembers; undefined without a valid one. */
export async function readPort(file: string): Promise<number | undefined> {
  const port = Number((await readFile(file, 'utf8').catch(() => '')).trim());
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

/** Writes the file atomically. If that fails, the next start does not remember the port, but this process continues. */
export async function rememberPort(file: string, port: number): Promise<void> {
  try {
    makeFolder(dirname(file));
    await replaceFile(file, `${port}\n`);
  } catch {
    // The server runs all the same.
  }
}
