import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import {
  type CommandWire,
  countForScript,
  countScript,
  createKvOverCommands,
  replaceScript,
  type Script,
  takeTokenScript,
} from './commands.ts';
import type { Kv } from './kv.ts';
import type { RedisAddress } from './settings.ts';

const connectTimeoutMs = 2_000;
/** Milliseconds without a due response after which a connection is considered dead. */
const silenceDefaultMs = 2_000;
const retryDelayMsMax = 2_000;

const computeRetryDelayMs = (attempt: number) => Math.min(50 * 2 ** attempt, retryDelayMsMax);

/**
 * A Redis: single, behind sentinels, or a cluster. A command is sent at most once and never queued: without a
 * connection it fails at once, and a broken connection fails the commands in flight.
 */
export function createRedisKv(address: RedisAddress, silenceMs = silenceDefaultMs): Kv {
  const client = connect(address, silenceMs);
  return createKvOverCommands(createRedisWire(client, createErrorTranslator(client)));
}

/** The driver's messages for a command that it rejects because it is not connected. */
const unwritable = /^Stream isn't writeable|^Connection is closed|enableOfflineQueue/;

/** Replaces the driver's message about its state with the reason why there is no connection. */
function createErrorTranslator(client: Redis | Cluster): <T>(answer: Promise<T>) => Promise<T> {
  let reason = 'it is not connected yet';
  // Without a listener, each error would be printed too.
  client.on('error', (error: unknown) => {
    reason = getErrorMessage(error);
  });
  return (answer) =>
    answer.catch((error: unknown) => {
      if (!unwritable.test(getErrorMessage(error))) throw error;
      throw new Error(`The store cannot be reached: ${reason}`, { cause: error });
    });
}

function connect(address: RedisAddress, silenceMs: number): Redis | Cluster {
  const { kind, nodes, username, password, database, primary } = address;
  const options: RedisOptions = {
    ...(username && { username }),
    ...(password && { password }),
    ...(address.tls && { tls: {} }),
    db: database,
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // After a failover, the old primary responds with this until the client reconnects.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
  if (kind === 'cluster') {
    return new Cluster(nodes, {
      redisOptions: options,
      enableOfflineQueue: false,
      clusterRetryStrategy: computeRetryDelayMs,
      slotsRefreshTimeout: connectTimeoutMs,
      maxRedirections: 4,
    });
  }
  const alone = { ...options, enableOfflineQueue: false, retryStrategy: computeRetryDelayMs };
  if (kind === 'single') return new Redis({ ...alone, ...nodes[0]! });
  return new Redis({
    ...alone,
    sentinels: nodes,
    name: primary!,
    sentinelRetryStrategy: computeRetryDelayMs,
    ...(address.tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  });
}

type ScriptCommand = (...parts: (string | number)[]) => Promise<unknown>;

function createRedisWire(
  client: Redis | Cluster,
  translateError: ReturnType<typeof createErrorTranslator>,
): CommandWire {
  const commands = new Map<Script, ScriptCommand>();
  for (const [name, script] of Object.entries({
    countScript,
    countForScript,
    replaceScript,
    takeTokenScript,
  })) {
    // The script is sent by its digest, and in full if the server does not know it yet.
    client.defineCommand(name, { lua: script.lua, numberOfKeys: script.keys });
    const defined = (client as unknown as Record<string, ScriptCommand>)[name]!;
    commands.set(script, defined.bind(client));
  }
  const command = (...[name, ...parts]: (string | number)[]) =>
    translateError(client.call(String(name), parts));
  return {
    command,
    // Written to the same connection before any answer is read.
    pipeline: (list) => Promise.all(list.map((parts) => command(...parts))),
    script: (script, keys, args) => translateError(commands.get(script)!(...keys, ...args)),
    close: async () => client.disconnect(),
  };
}
