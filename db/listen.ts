import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import pg from 'pg';
import type { Logger } from '../lib/log/index.ts';

interface ListenOptions {
  url: string;
  channels: readonly string[];
  onNotification(channel: string, payload: string): void;
  /** Called after each connect, including the first. Notifications before it are lost: read the state again. */
  onConnected(): void;
  log?: Logger;
}

export interface Listener {
  close(): Promise<void>;
}

const retryMs = 500;
/** Longest wait for a connection. A server that accepts it and never answers counts as away. */
const connectTimeoutMs = 10_000;
/** Longest wait for a server to take the message that ends a connection. */
const endMsMax = 1_000;
/** Delay of TCP keepalive, which detects a dead peer. The kernel's default is two hours. */
const keepAliveMs = 10_000;

/** Listens on one connection, and connects again whenever it breaks, until the listener is closed. */
export function listen(options: ListenOptions): Listener {
  const stop = new AbortController();
  const running = run(options, stop.signal);
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

async function run(options: ListenOptions, signal: AbortSignal): Promise<void> {
  let connected = true;
  const onConnected = () => {
    if (!connected) options.log?.info('listens for changes again');
    connected = true;
    options.onConnected();
  };
  while (!signal.aborted) {
    try {
      await hold({ ...options, onConnected }, signal);
    } catch (error) {
      // Logged once for each outage, which would otherwise log it twice a second.
      const reason = getErrorMessage(error);
      if (connected) options.log?.warn({ reason }, 'lost the connection that listens for changes');
      connected = false;
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Resolves when the signal aborts, rejects when the connection breaks. */
async function hold(options: ListenOptions, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'adaptor-marketplace listen',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  const { promise: broken, resolve, reject } = Promise.withResolvers<void>();
  broken.catch(() => undefined);
  let isListening = false;
  const onAbort = () => {
    resolve();
    // A server that does not answer would keep `connect` and `listen` waiting.
    if (!isListening) client.connection.stream.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', reject);
  client.on('end', () => reject(new Error('the server ended the connection')));
  client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
  try {
    await client.connect();
    for (const channel of options.channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    isListening = true;
    options.onConnected();
    await broken;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await endConnection(client);
  }
}

/** Ends a connection. A server that does not take the message in time finds the socket closed. */
async function endConnection(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), endMsMax);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
