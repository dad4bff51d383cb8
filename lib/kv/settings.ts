export interface RedisAddress {
  kind: 'single' | 'sentinel' | 'cluster';
  tls: boolean;
  nodes: { host: string; port: number }[];
  username: string | undefined;
  password: string | undefined;
  /** Always 0 in a cluster. */
  database: number;
  /** Name of the primary at the sentinels. Only sentinel urls have it. */
  primary: string | undefined;
}

const form =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?$/;
const defaultPorts = { single: 6379, sentinel: 26379, cluster: 6379 };

/**
 * Reads `redis[s]://[user:password@]host[:port][/database]`,
 * `redis[s]+sentinel://[user:password@]host[:port],.../primary[/database]` and
 * `redis[s]+cluster://[user:password@]host[:port],...`. User and password are percent-encoded and the servers'
 * own, not the sentinels'. Undefined for anything else.
 */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  const groups = form.exec(url)?.groups;
  if (!groups) return undefined;
  const kind = (groups.kind ?? 'single') as RedisAddress['kind'];
  const nodes = (groups.hosts ?? '').split(',').map((host) => parseNode(host, defaultPorts[kind]));
  const path = (groups.path ?? '').split('/').filter((part) => part !== '');
  const primary = kind === 'sentinel' ? path.shift() : undefined;
  const database = path.shift() ?? '0';
  const user = decode(groups.user);
  const password = decode(groups.password);
  if (path.length > 0 || !/^\d{1,5}$/.test(database) || user === null || password === null) return undefined;
  if (kind === 'sentinel' && !primary) return undefined;
  if (kind === 'cluster' && database !== '0') return undefined;
  if (kind === 'single' && nodes.length > 1) return undefined;
  if (!nodes.every((node) => node !== undefined)) return undefined;
  return {
    kind,
    tls: groups.tls === 's',
    nodes,
    username: user || undefined,
    password: password || undefined,
    database: Number(database),
    primary,
  };
}

function parseNode(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const found = /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/.exec(
    text,
  )?.groups;
  const host = found?.six ?? found?.name;
  const port = Number(found?.port ?? defaultPort);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Decodes percent-encoding. Returns null if the text is not percent-encoded UTF-8. */
function decode(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export type KvSettings =
  | { kind: 'memory' }
  | { kind: 'redis'; address: RedisAddress }
  | { kind: 'rest'; url: string; token: string };

type StoreSetting = 'REDIS_URL' | `${(typeof restPrefixes)[number]}_${'URL' | 'TOKEN'}`;

const restPrefixes = ['KV_REST_API', 'UPSTASH_REDIS_REST'] as const;

/** The store that is used, and warnings about other stores in the settings. */
export interface KvChoice {
  settings: KvSettings | undefined;
  warnings: string[];
}

/**
 * The store of the host, if any. Platforms that attach a store set several names for it, so REDIS_URL takes precedence
 * over the REST pairs, and pairs that name the same store count as one.
 * @throws Error naming the settings that are half set or contradict each other
 */
export function parseKvSettings(given: Partial<Record<StoreSetting, string | undefined>>): KvChoice {
  const stores: { names: string; settings: KvSettings }[] = [];
  if (given.REDIS_URL) stores.push({ names: 'REDIS_URL', settings: parseRedisSettings(given.REDIS_URL) });
  for (const prefix of restPrefixes) {
    const url = given[`${prefix}_URL`];
    const token = given[`${prefix}_TOKEN`];
    const names = `${prefix}_URL and ${prefix}_TOKEN`;
    if (url && token) stores.push({ names, settings: { kind: 'rest', url, token } });
    else if (url || token) throw new Error(`${names} are only of use together.`);
  }
  const [taken, ...others] = stores;
  if (taken?.settings.kind === 'rest' && others.some(({ settings }) => !isSame(taken.settings, settings))) {
    const names = stores.map((store) => store.names).join('; ');
    throw new Error(`There can be one key-value store, but these name several: ${names}.`);
  }
  const warnings = others.map(
    ({ names }) => `${taken?.names} names the key-value store: ${names} are ignored.`,
  );
  return { settings: taken?.settings, warnings };
}

const isSame = (one: KvSettings, other: KvSettings) => JSON.stringify(one) === JSON.stringify(other);

function parseRedisSettings(url: string): KvSettings {
  if (url === memoryUrl) return { kind: 'memory' };
  return { kind: 'redis', address: parseRedisUrl(url)! };
}

const memoryUrl = 'memory:';

/** `true` if `REDIS_URL` may have this value. */
export function isRedisUrl(url: string): boolean {
  return url === memoryUrl || parseRedisUrl(url) !== undefined;
}
