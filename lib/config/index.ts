import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { formatHost } from '@adaptor-marketplace/process';
import { z } from 'zod';
import { FatalError } from '../errors/index.ts';
import { findNearestName } from '../errors/nearest-name.ts';
import { type KvChoice, type KvSettings, parseKvSettings } from '../kv/settings.ts';
import { createOutbound } from '../outbound/index.ts';
import type { PortChoice, PortSetting } from '../ports/open-port.ts';
import { type GasBound, readDailyLimits, readGasDaily } from './fields.ts';
import { general } from './general.ts';
import type { ConfiguredNetwork } from './networks.ts';
import { type ConfiguredNetworks, networkSettings, readConfiguredNetworks } from './per-network.ts';

const generalSettings = z.object(general);

export const settingShapes: Readonly<Record<string, z.ZodType>> = {
  ...generalSettings.shape,
  ...networkSettings.shape,
};

const settingNames = Object.keys(settingShapes);

interface Pooler {
  /** `true` if statements may have names. */
  prepares: boolean;
}

export interface ObjectStorage {
  endpoint: string | undefined;
  region: string;
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined } | undefined;
}

export interface Config {
  /** Ports that clients and the processes of one data folder rely on. */
  ports: Readonly<Record<'http' | 'localnet' | 'faucet' | 'blobs' | 'postgres', PortChoice>>;
  host: string;
  publicUrl: string;
  /** Origin in addresses of pages and documents: PUBLIC_URL, if it is set. */
  errorPagesUrl: string | undefined;
  /** Url for reports of vulnerabilities. */
  securityContact: string | undefined;
  /** Undefined: only the gateway exposes metrics. */
  metricsPort: number | undefined;
  dataDir: string;
  /** Undefined: the embedded server. `directUrl` leads past the pooler that `url` leads to. */
  database: string | { url: string; directUrl: string; pooler: Pooler } | undefined;
  /** Streaming replicas that gateways read from. */
  readReplicas: { urls: string[]; lagMsMax: number; pooler: Pooler | undefined };
  /** Database for SQL over HTTP. `embedded:` uses the role of the embedded server. Undefined: off. */
  sqlDatabaseUrl: string | undefined;
  /** Storage of exports. Undefined endpoint: Amazon S3. Undefined keys: those that the AWS SDK finds. */
  objectStorage: ObjectStorage;
  /** File of trusted documents. If it is set, the graph executes only these. */
  trustedDocuments: string | undefined;
  defaultNetwork: Network;
  logLevel: string;
  outboundAllowCidrs: string[];
  maxLagSeconds: number;
  localnetHost: string;
  /** Absent: no limits, no API keys, no webhooks. */
  kv: KvSettings | undefined;
  adminSecret: string | undefined;
  /** Also decrypts the secrets of webhooks. */
  adminSecretFallback: string | undefined;
  cronSecret: string | undefined;
  /** Requests a minute of an address without an API key. */
  anonymousPerMinute: number;
  trustProxy: number;
  toolsHost: string;
  toolsPort: number;
  /** Absent: the tool service runs in the agent service's process. */
  toolsUrl: string | undefined;
  /** Location of the managed key. Undefined: no actions run, except on the local network. */
  agentKey: { secretKey: string } | { file: string } | undefined;
  agentHost: string;
  agentPort: number;
  /** Absent: the agent service runs in the gateway's process, or nowhere. */
  agentUrl: string | undefined;
  /** Daily limits in base units, by coin type. `*` is for coins that are not named. */
  dailyLimits: Readonly<Record<string, bigint>>;
  /** Maximum gas in MIST: of one run, and of a UTC day's runs. */
  gasLimits: Readonly<Record<'perRun' | GasBound, bigint>>;
  runsDaily: bigint;
  /** Url where owners get a plan; if set, each run needs an active plan. */
  paywallUrl: string | undefined;
  /** Undefined: the services of this process generate one. */
  internalAgentSecret: string | undefined;
  /** Address ranges whose requests may pass that secret through the gateway. Requires the secret. */
  internalAgentCidrs: string[];
  /** Networks with a node and a registry. None: a local network stands in for testnet. */
  networks: ConfiguredNetwork[];
  /** Networks with a node and without a registry, each with the reason why it is not served. */
  unserved: ConfiguredNetworks['unserved'];
  /** Settings whose effect may not be the intended one. */
  warnings: string[];
}

/**
 * Reads every setting once. Empty values count as unset, so that `.env` files may list them all. `fileNames` are the
 * names in a settings file, all of which are meant for this service.
 * @throws FatalError `bad_settings` naming each wrong setting and the reason.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  fileNames: readonly string[] = [],
): Config {
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
  const portChoice = (setting: PortSetting): PortChoice => {
    const port = settings[setting];
    return { setting, port, required: port !== 0 && present[setting] !== undefined };
  };
  const kv = store(settings);
  const { found, unserved } = readConfiguredNetworks(networkPart.data);
  refuseForbiddenBuckets(found, settings.OUTBOUND_ALLOW_CIDRS);
  return {
    ports: {
      http: portChoice('PORT'),
      localnet: portChoice('LOCALNET_PORT'),
      faucet: portChoice('LOCALNET_FAUCET_PORT'),
      blobs: portChoice('LOCALNET_BLOBS_PORT'),
      postgres: portChoice('EMBEDDED_POSTGRES_PORT'),
    },
    host: settings.HOST,
    publicUrl: derivePublicUrl(settings),
    errorPagesUrl: settings.PUBLIC_URL,
    securityContact: settings.SECURITY_CONTACT,
    metricsPort: settings.METRICS_PORT,
    dataDir: settings.DATA_DIR,
    database: readDatabaseAddress(settings),
    readReplicas: readReplicas(settings),
    sqlDatabaseUrl: readSqlDatabase(settings),
    objectStorage: {
      endpoint: settings.AWS_ENDPOINT_URL,
      region: settings.AWS_REGION,
      keys: readStorageKeys(settings),
    },
    trustedDocuments: settings.GRAPHQL_TRUSTED_DOCUMENTS,
    defaultNetwork: settings.DEFAULT_NETWORK,
    logLevel: settings.LOG_LEVEL,
    outboundAllowCidrs: settings.OUTBOUND_ALLOW_CIDRS,
    maxLagSeconds: settings.MAX_LAG_SECONDS,
    localnetHost:
      settings.LOCALNET_HOST === undefined
        ? formatReachableHost(settings.HOST)
        : formatHost(settings.LOCALNET_HOST),
    kv: kv.settings,
    adminSecret: settings.MARKETPLACE_ADMIN_SECRET,
    adminSecretFallback: readAdminFallback(settings),
    cronSecret: settings.CRON_SECRET,
    anonymousPerMinute: settings.MARKETPLACE_ANON_RPM,
    trustProxy: settings.TRUST_PROXY,
    toolsHost: settings.TOOLS_HOST,
    toolsPort: settings.TOOLS_PORT,
    toolsUrl: settings.TOOLS_URL,
    agentKey: readManagedKey(settings),
    agentHost: settings.AGENT_HOST,
    agentPort: settings.AGENT_PORT,
    agentUrl: settings.AGENT_URL,
    dailyLimits: readDailyLimits(settings.AGENT_DAILY_LIMITS),
    gasLimits: { perRun: BigInt(settings.AGENT_GAS_MAX), ...readGasDaily(settings.AGENT_GAS_DAILY) },
    runsDaily: BigInt(settings.AGENT_RUNS_DAILY),
    paywallUrl: settings.AGENT_PAYWALL_URL,
    internalAgentSecret: settings.INTERNAL_AGENT_SECRET,
    internalAgentCidrs: readInternalSenders(settings),
    networks: found,
    unserved,
    warnings: [
      ...Object.values(unserved),
      ...kv.warnings,
      ...findUnnamedHosts(settings),
      ...unknownSettings(present, settingNames, fileNames),
    ],
  };
}

function readManagedKey({
  AGENT_SECRET_KEY: secretKey,
  AGENT_SECRET_KEY_FILE: file,
}: z.infer<typeof generalSettings>): Config['agentKey'] {
  if (secretKey !== undefined && file !== undefined) {
    throw new FatalError('bad_settings', 'Set AGENT_SECRET_KEY or AGENT_SECRET_KEY_FILE, not both.');
  }
  if (file !== undefined) return { file };
  return secretKey === undefined ? undefined : { secretKey };
}

function readAdminFallback({
  MARKETPLACE_ADMIN_SECRET: secret,
  MARKETPLACE_ADMIN_SECRET_FALLBACK: fallback,
}: z.infer<typeof generalSettings>): string | undefined {
  if (fallback === undefined || (secret !== undefined && secret !== fallback)) return fallback;
  throw new FatalError(
    'bad_settings',
    'MARKETPLACE_ADMIN_SECRET_FALLBACK: set MARKETPLACE_ADMIN_SECRET to another secret.',
  );
}

function readStorageKeys({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: z.infer<typeof generalSettings>): ObjectStorage['keys'] {
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, sessionToken };
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  throw new FatalError('bad_settings', 'Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither.');
}

/** Checkpoint files are fetched like strangers' urls. */
function refuseForbiddenBuckets(networks: readonly ConfiguredNetwork[], allowCidrs: readonly string[]): void {
  const outbound = createOutbound({ allowCidrs });
  for (const { network, checkpointsUrl } of networks) {
    const reason = checkpointsUrl && outbound.checkUrl(checkpointsUrl);
    if (!reason) continue;
    const advice = 'OUTBOUND_ALLOW_CIDRS opens private addresses, also for http.';
    throw new FatalError('bad_settings', `SUI_${network.toUpperCase()}_CHECKPOINTS_URL: ${reason} ${advice}`);
  }
}

function readSqlDatabase({
  DATABASE_URL: databaseUrl,
  SQL_DATABASE_URL: url,
}: z.infer<typeof generalSettings>): string | undefined {
  if (url !== 'embedded:' || databaseUrl === undefined) return url;
  throw new FatalError('bad_settings', 'SQL_DATABASE_URL: embedded: is for the server without DATABASE_URL.');
}

function readDatabaseAddress({
  DATABASE_URL: url,
  DIRECT_DATABASE_URL: directUrl,
  DATABASE_PREPARED_STATEMENTS: prepared,
}: z.infer<typeof generalSettings>): Config['database'] {
  if (directUrl === undefined) {
    if (prepared === 'on') return url;
    throw new FatalError(
      'bad_settings',
      'DATABASE_PREPARED_STATEMENTS: off is for PgBouncer; set DIRECT_DATABASE_URL to the server behind it.',
    );
  }
  if (url === undefined)
    throw new FatalError('bad_settings', 'DIRECT_DATABASE_URL: set DATABASE_URL to the PgBouncer.');
  return { url, directUrl, pooler: { prepares: prepared === 'on' } };
}

function readReplicas({
  DATABASE_URL: databaseUrl,
  DIRECT_DATABASE_URL: directUrl,
  DATABASE_PREPARED_STATEMENTS: prepared,
  READ_DATABASE_URLS: urls,
  READ_DATABASE_LAG_SECONDS: lagSeconds,
}: z.infer<typeof generalSettings>): Config['readReplicas'] {
  const pooler = directUrl === undefined ? undefined : { prepares: prepared === 'on' };
  const replicas = { urls, lagMsMax: lagSeconds * 1_000, pooler };
  if (urls.length === 0) return replicas;
  if (databaseUrl === undefined)
    throw new FatalError('bad_settings', 'READ_DATABASE_URLS: set DATABASE_URL to the primary.');
  if (urls.some((one) => one === databaseUrl || one === directUrl))
    throw new FatalError('bad_settings', 'READ_DATABASE_URLS: name only replicas, not the primary.');
  if (new Set(urls).size < urls.length)
    throw new FatalError('bad_settings', 'READ_DATABASE_URLS: name each replica once.');
  return replicas;
}

function readInternalSenders({
  INTERNAL_AGENT_SECRET: secret,
  INTERNAL_AGENT_CIDRS: cidrs,
}: z.infer<typeof generalSettings>): string[] {
  if (cidrs.length === 0 || secret !== undefined) return cidrs;
  throw new FatalError('bad_settings', 'INTERNAL_AGENT_CIDRS requires INTERNAL_AGENT_SECRET.');
}

function store(settings: z.infer<typeof generalSettings>): KvChoice {
  try {
    return parseKvSettings(settings);
  } catch (error) {
    throw new FatalError('bad_settings', getErrorMessage(error), { cause: error });
  }
}

/** Returns the host part of a url that reaches a server with this listen address. */
function formatReachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return formatHost(host);
}

/**
 * Returns the public origin. It does not depend on the request: otherwise a page that relays this host's sign-in
 * message could choose the name in it.
 */
function derivePublicUrl({
  PUBLIC_URL: given,
  HOST: host,
  PORT: port,
}: z.infer<typeof generalSettings>): string {
  return given ?? new URL(`http://${formatReachableHost(host)}${port === 0 ? '' : `:${port}`}`).origin;
}

function findUnnamedHosts(settings: z.infer<typeof generalSettings>): string[] {
  const { PUBLIC_URL, HOST, AGENT_SECRET_KEY, AGENT_SECRET_KEY_FILE } = settings;
  const isLocal = HOST === 'localhost' || HOST === '::1' || HOST.startsWith('127.');
  if (PUBLIC_URL !== undefined || isLocal || !(AGENT_SECRET_KEY ?? AGENT_SECRET_KEY_FILE)) return [];
  return [`PUBLIC_URL is not set: sign-in messages name ${derivePublicUrl(settings)} as this host.`];
}

const file = '.env';

/** Returns the process's environment, extended by `.env` in the working directory. Variables that are set win. */
export function environment(): Record<string, string | undefined> {
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** Names that `.env` sets. */
export function listEnvironmentFiles(): string[] {
  return existsSync(file) ? Object.keys(parseEnv(readFileSync(file, 'utf8'))) : [];
}

/** Names in a settings file that are for other programs and libraries: Compose, the command line, Node, OpenTelemetry. */
const others =
  /^(COMPOSE_|DOCKER_|POSTGRES_|NODE_|OTEL_|TEST_)|^(PUBLISH_HOST|SUI_SECRET_KEY(_FILE)?|SUI_RPC_URL|MARKETPLACE_(URL|API_KEY)|WEBHOOK_SECRET)$/;
/** Prefixes of names that only this service uses. */
const ours = /^(MARKETPLACE|TESTNET|MAINNET|WALRUS|SUI_(TESTNET|MAINNET))_/;

/**
 * Returns a sentence for each unknown name that was probably meant to be a setting: each in a settings file. The
 * environment is full of other programs' names, so there only those with our prefixes, or one typo away from a setting.
 */
function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  fileNames: readonly string[],
): string[] {
  const inFile = new Set(fileNames);
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || others.test(name)) return [];
    const slip = known.find((candidate) => isTypo(name.toUpperCase(), candidate));
    if (slip === undefined && !inFile.has(name) && !ours.test(name)) return [];
    const meant = slip ?? findNearestName(name, known);
    return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
}

/** `true` if `given` has at most one typo: a letter added, left out or replaced, or two swapped neighbours. */
function isTypo(given: string, meant: string): boolean {
  let from = 0;
  while (from < given.length && given[from] === meant[from]) from += 1;
  const rest = given.slice(from);
  const due = meant.slice(from);
  if (rest === due) return true;
  const swapped = due.length > 1 ? `${due[1]}${due[0]}${due.slice(2)}` : due;
  return rest.slice(1) === due || rest === due.slice(1) || rest.slice(1) === due.slice(1) || rest === swapped;
}
