import { z } from 'zod';
import { FatalError } from '../errors/index.ts';
import { type Network, type NetworkSettings, networks } from './networks.ts';

export { type Network, type NetworkSettings, networks } from './networks.ts';

const objectId = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected an object id: 0x and up to 64 hex digits')
  .transform((id) => `0x${id.slice(2).toLowerCase().padStart(64, '0')}`);
const url = z
  .url({ protocol: /^https?$/, error: 'expected an http(s) url' })
  .transform((u) => u.replace(/\/+$/, ''));
const cidr = z.union([z.cidrv4(), z.cidrv6()], {
  error: 'expected addresses in CIDR form, such as 10.0.0.0/8',
});
const integer = (min: number, max: number) => {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
};

const general = {
  PORT: integer(0, 65_535).default(8080).describe('Port of the HTTP API; 0 picks a free one.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address the HTTP API listens on.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database and the local network.'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'expected a postgres:// url' })
    .optional()
    .describe('PostgreSQL; absent: an embedded server in DATA_DIR/postgres.'),
  DEFAULT_NETWORK: z.enum(networks).default('testnet').describe('Network of requests that name none.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe log line that is written.'),
  OUTBOUND_ALLOW_CIDRS: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((item) => item.trim() || []))
    .pipe(z.array(cidr))
    .describe('Private address ranges, comma-separated, that manifest urls may reach.'),
  MAX_LAG_SECONDS: integer(1, 86_400).default(60).describe('/readyz is 503 when a source is further behind.'),
  LOCALNET_HOST: z
    .string()
    .min(1)
    .optional()
    .describe('Name by which others reach the local network. Absent: HOST, where that is one address.'),
  LOCALNET_PORT: integer(0, 65_535)
    .default(9000)
    .describe('gRPC port of the local network; 0 picks a free one.'),
};

const perNetwork = {
  SUI_NETWORK_RPC_URL: url.optional().describe('Full node gRPC url. None set: a local testnet is started.'),
  SUI_NETWORK_ARCHIVE_URL: url.optional().describe('Node that keeps what the full node has pruned.'),
  SUI_NETWORK_RPC_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('x-token for the node, where it asks for one.'),
  NETWORK_REGISTRY_PACKAGE_ID: objectId.optional().describe('Registry package, as first published.'),
  NETWORK_REGISTRY_OBJECT_ID: objectId.optional().describe('The shared Registry object.'),
  NETWORK_WALLET_PACKAGE_ID: objectId.optional().describe('Wallet package, as first published.'),
  WALRUS_NETWORK_AGGREGATOR_URL: url.optional().describe('Walrus aggregator that manifests are read from.'),
  WALRUS_NETWORK_PUBLISHER_URL: url.optional().describe('Walrus publisher that drafts are uploaded to.'),
};

const secretSettings = /TOKEN|SECRET|DATABASE_URL/;

type PerNetworkName = keyof typeof perNetwork;

function settingName(template: PerNetworkName, network: Network): string {
  return template.replace('NETWORK_', `${network.toUpperCase()}_`);
}

const generalSettings = z.object(general);

/** The per-network settings by their environment names, once per network. */
const networkSettings: z.ZodObject<Record<string, z.ZodType<string | undefined>>> = z.object(
  Object.fromEntries(
    networks.flatMap((network) =>
      (Object.keys(perNetwork) as PerNetworkName[]).map((template) => [
        settingName(template, network),
        perNetwork[template],
      ]),
    ),
  ),
);

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  defaultNetwork: Network;
  logLevel: string;
  outboundAllowCidrs: string[];
  maxLagSeconds: number;
  localnetHost: string;
  localnetPort: number;
  /** Networks with a node configured. None: a local network stands in for testnet. */
  networks: NetworkSettings[];
}

const defaultAggregators: Record<Network, string> = {
  testnet: 'https://aggregator.walrus-testnet.walrus.space',
  mainnet: 'https://aggregator.walrus-mainnet.walrus.space',
};

/**
 * Reads every setting once. Empty values count as unset, so that `.env` files may list them all.
 * @throws FatalError `bad_settings` naming each wrong setting and the reason.
 */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const generalPart = generalSettings.safeParse(present);
  const networkPart = networkSettings.safeParse(present);
  if (!generalPart.success || !networkPart.success) {
    const issues = [...(generalPart.error?.issues ?? []), ...(networkPart.error?.issues ?? [])];
    const reasons = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new FatalError('bad_settings', `Wrong settings:\n  ${reasons.join('\n  ')}`);
  }
  const settings = generalPart.data;
  const found = networks.flatMap((network) => configuredNetwork(networkPart.data, network) ?? []);
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    defaultNetwork: settings.DEFAULT_NETWORK,
    logLevel: settings.LOG_LEVEL,
    outboundAllowCidrs: settings.OUTBOUND_ALLOW_CIDRS,
    maxLagSeconds: settings.MAX_LAG_SECONDS,
    localnetHost: settings.LOCALNET_HOST ?? reachableAt(settings.HOST),
    localnetPort: settings.LOCALNET_PORT,
    networks: found,
  };
}

/** Where a server that listens on this address is reached, as urls have it. */
function reachableAt(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function configuredNetwork(
  settings: Record<string, string | undefined>,
  network: Network,
): NetworkSettings | undefined {
  const read = (template: PerNetworkName) => settings[settingName(template, network)];
  const rpcUrl = read('SUI_NETWORK_RPC_URL');
  if (!rpcUrl) return undefined;
  const required = (template: PerNetworkName) => {
    const value = read(template);
    if (value) return value;
    const name = settingName(template, network);
    throw new FatalError(
      'bad_settings',
      `${name} is needed because ${settingName('SUI_NETWORK_RPC_URL', network)} is set.`,
    );
  };
  return {
    network,
    rpcUrl,
    archiveUrl: read('SUI_NETWORK_ARCHIVE_URL'),
    rpcToken: read('SUI_NETWORK_RPC_TOKEN'),
    registryPackageId: required('NETWORK_REGISTRY_PACKAGE_ID'),
    registryObjectId: required('NETWORK_REGISTRY_OBJECT_ID'),
    walletPackageId: read('NETWORK_WALLET_PACKAGE_ID'),
    aggregatorUrl: read('WALRUS_NETWORK_AGGREGATOR_URL') ?? defaultAggregators[network],
    publisherUrl: read('WALRUS_NETWORK_PUBLISHER_URL'),
  };
}

/** Every setting with its value in force and what it means, secrets masked; for `npm run config`. */
export function describeSettings(env: Record<string, string | undefined>) {
  loadConfig(env);
  return Object.entries({ ...generalSettings.shape, ...networkSettings.shape }).map(([name, schema]) => {
    const given = env[name] || undefined;
    const value = given === undefined ? schema.safeParse(undefined).data : given;
    const shown = given !== undefined && secretSettings.test(name) ? '[masked]' : value;
    return { name, value: shown === undefined ? '' : String(shown), meaning: schema.description ?? '' };
  });
}
