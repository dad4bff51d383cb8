import type { Kv } from './kv.ts';

/** A Lua script that the store runs atomically. */
export interface Script {
  lua: string;
  keys: number;
}

// A counter without an expiry would refuse its caller forever, so it gets one if it has none.
const countOnce = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end`;

/** KEYS: counter. ARGV: window in ms. Returns the count and the milliseconds left. */
export const countScript: Script = { keys: 1, lua: `${countOnce}\nreturn {count, left}` };

/** KEYS: counter, record. ARGV: window in ms. Returns `countScript`'s results and the record, if there is one. */
export const countForScript: Script = {
  keys: 2,
  lua: `local value = redis.call('GET', KEYS[2])\nif not value then return {} end${countOnce}\nreturn {count, left, value}`,
};

/** KEYS: key. ARGV: the expected value, the new one. Returns 1 if it was replaced. */
export const replaceScript: Script = {
  keys: 1,
  lua: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\nredis.call('SET', KEYS[1], ARGV[2])\nreturn 1`,
};

/**
 * KEYS: bucket. ARGV: capacity, tokens per second, floor. Returns whether a token was taken, the whole tokens left, and
 * the milliseconds until the token can be taken. A bucket that has filled up expires.
 */
export const takeTokenScript: Script = {
  keys: 1,
  lua: `
local capacity, rate, floor = tonumber(ARGV[1]), tonumber(ARGV[2]) / 1000, tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = capacity
if stored[1] then tokens = math.min(capacity, tonumber(stored[1]) + math.max(0, now - stored[2]) * rate) end
local taken = tokens >= floor + 1
if taken then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate) + 1)
if taken then return {1, math.floor(tokens), 0} end
return {0, math.floor(tokens), math.ceil((floor + 1 - tokens) / rate)}`,
};

/** A connection that carries Redis commands over any protocol. */
export interface CommandWire {
  command(...parts: (string | number)[]): Promise<unknown>;
  /** Sends all commands in one round trip. The results are in their order. */
  pipeline(commands: readonly (string | number)[][]): Promise<unknown[]>;
  script(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  close(): Promise<void>;
}

/** The store's operations as Redis commands, shared by the drivers that connect to a Redis. */
export function createKvOverCommands(wire: CommandWire): Kv {
  return {
    get: async (key) => parseOptionalText(await wire.command('GET', key)),
    getMany: async (keys) => {
      if (keys.length === 0) return [];
      return (await wire.pipeline(keys.map((key) => ['GET', key]))).map(parseOptionalText);
    },
    set: async (key, value, ttlMs) => {
      await wire.command('SET', key, value, ...(ttlMs === undefined ? [] : ['PX', ttlMs]));
    },
    replace: async (key, expected, value) =>
      (await wire.script(replaceScript, [key], [expected, value])) === 1,
    delete: async (key) => (await wire.command('DEL', key)) === 1,
    hashSet: async (key, field, value) => void (await wire.command('HSET', key, field, value)),
    hashDelete: async (key, field) => (await wire.command('HDEL', key, field)) === 1,
    hashAll: async (key) => pairs(await wire.command('HGETALL', key)),
    count: async (key, windowMs) => {
      const [count, endsInMs] = list(await wire.script(countScript, [key], [windowMs]));
      return { count: number(count), endsInMs: number(endsInMs) };
    },
    countFor: async (record, key, windowMs) => {
      const answer = list(await wire.script(countForScript, [key, record], [windowMs]));
      if (answer.length === 0) return undefined;
      const [count, endsInMs, value] = answer;
      return { count: number(count), endsInMs: number(endsInMs), value: text(value) };
    },
    takeToken: async (key, { capacity, perSecond, floor }) => {
      const answer = await wire.script(takeTokenScript, [key], [capacity, perSecond, floor]);
      const [taken, left, waitMs] = list(answer).map(number);
      return { taken: taken === 1, left: left ?? 0, waitMs: waitMs ?? 0 };
    },
    close: () => wire.close(),
  };
}

// Responses are untrusted: another program may listen in place of the store.
function parseOptionalText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : text(value);
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error('The store responded with something other than text.');
}

function number(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Error('The store responded with something other than a whole number.');
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error('The store responded with something other than a list.');
}

function pairs(value: unknown): Map<string, string> {
  const flat = list(value).map(text);
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) found.set(flat[at]!, flat[at + 1]!);
  return found;
}
