import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { isRedisUrl } from '../kv/settings.ts';
import {
  cidrList,
  dailyLimitsSetting,
  gasDailyDefault,
  gasDailySetting,
  hostAddress,
  hostSecret,
  integer,
  origin,
  postgresUrl,
  postgresUrlList,
  url,
} from './fields.ts';

/** Builds the setting of a port that stays the same at each start, because clients rely on it. */
const buildPort = (byDefault: number, meaning: string) =>
  integer(0, 65_535)
    .default(byDefault)
    .describe(
      byDefault === 0
        ? `${meaning}. Unset or 0: a free port, the same at each start.`
        : `${meaning}. Unset: ${byDefault}, or a free port if that is in use. 0: a free port, the same at each start.`,
    );

const storageKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'expected characters that a header can carry, without spaces');

export const general = {
  PORT: buildPort(8080, 'Port of the HTTP API'),
  HOST: hostAddress.default('127.0.0.1').describe('Address the HTTP API listens on.'),
  PUBLIC_URL: origin
    .optional()
    .describe(
      'Public origin of the service, such as https://market.example. Sign-in messages, the `type` of errors, the ' +
        'sitemap, the API catalog, opensearch.xml and security.txt name it. If unset, sign-in messages name HOST and PORT, `type` is relative, and the ' +
        'files name the host of the request, or none. With https, browsers use only https for it for a year.',
    ),
  SECURITY_CONTACT: z
    .url({ protocol: /^(https|mailto|tel)$/, error: 'expected a url such as mailto:security@market.example' })
    .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII characters, without spaces')
    .optional()
    .describe(
      'Contact for vulnerabilities of this host: a mailto:, https: or tel: url. If unset: there is no ' +
        '/.well-known/security.txt.',
    ),
  GRAPHQL_TRUSTED_DOCUMENTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file of the only documents that /graphql executes, each by its SHA-256. If unset: any document.',
    ),
  METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Port for GET /metrics of each process, for monitors; 0 picks a free one. Do not publish it. If unset: only the ' +
        'gateway has metrics, on its own port, for callers on the same machine.',
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database and the local network.'),
  DATABASE_URL: postgresUrl
    .optional()
    .describe('PostgreSQL url. If unset: an embedded server in DATA_DIR/postgres.'),
  DIRECT_DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL url of the same database past PgBouncer, for LISTEN, locks, migrations and the writes of the indexer. Set ' +
        'it if DATABASE_URL or READ_DATABASE_URLS name a PgBouncer. If unset: DATABASE_URL, without a PgBouncer.',
    ),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: no named prepared statements, for a PgBouncer older than 1.21 in transaction mode.'),
  READ_DATABASE_URLS: postgresUrlList.describe(
    'PostgreSQL urls of streaming replicas of DATABASE_URL, comma-separated, that gateways read the catalog and the graph ' +
      'from. Empty: they read from DATABASE_URL.',
  ),
  READ_DATABASE_LAG_SECONDS: integer(1, 3_600)
    .default(5)
    .describe(
      'A replica of READ_DATABASE_URLS that is further behind leaves the pool until it has caught up.',
    ),
  SQL_DATABASE_URL: z
    .union([z.literal('embedded:'), postgresUrl])
    .optional()
    .describe(
      'PostgreSQL url of the role analytics_http, for SQL over HTTP; a replica if there is one. embedded: makes the role on ' +
        'the embedded server. If unset: POST /api/sql is off.',
    ),
  AWS_ENDPOINT_URL: origin
    .optional()
    .describe('Storage with the API of S3, for npm run export -- --to s3://…. If unset: Amazon S3.'),
  AWS_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'expected a region such as us-east-1')
    .default('us-east-1')
    .describe('Region of the bucket of an export.'),
  AWS_ACCESS_KEY_ID: storageKey
    .optional()
    .describe(
      'Key id for the bucket of an export. If unset: the keys of the AWS profile or of the machine, as the AWS SDK finds them.',
    ),
  AWS_SECRET_ACCESS_KEY: storageKey.optional().describe('Secret of AWS_ACCESS_KEY_ID.'),
  AWS_SESSION_TOKEN: storageKey.optional().describe('Session token of temporary keys.'),
  EMBEDDED_POSTGRES_PORT: buildPort(0, 'Port of the embedded PostgreSQL server, on 127.0.0.1'),
  DEFAULT_NETWORK: z.enum(networks).default('testnet').describe('Network of requests that specify none.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum level of the log lines that are written.'),
  OUTBOUND_ALLOW_CIDRS: cidrList.describe(
    'Private address ranges, comma-separated, that manifest urls, webhooks and buckets of checkpoint files may reach, ' +
      'also over plain http. For development.',
  ),
  MAX_LAG_SECONDS: integer(1, 86_400)
    .default(60)
    .describe('/readyz responds with 503 when a source is further behind the chain.'),
  LOCALNET_HOST: hostAddress
    .optional()
    .describe(
      'Host name or address of the local network in the urls that it gives out. If unset: HOST, if that is a single address.',
    ),
  LOCALNET_PORT: buildPort(9000, 'gRPC port of the local network'),
  LOCALNET_FAUCET_PORT: buildPort(9123, "Port of the local network's faucet"),
  LOCALNET_BLOBS_PORT: buildPort(31_415, "Port of the local network's blob store, a stand-in for Walrus"),
  REDIS_URL: z
    .string()
    .refine(
      isRedisUrl,
      'expected redis[s]://host, redis[s]+sentinel://host,host/primary, redis[s]+cluster://host,host or memory:',
    )
    .optional()
    .describe(
      'Key-value store; required for rate limits, API keys and webhooks. The url memory: keeps everything in the memory of a single process.',
    ),
  KV_REST_API_URL: url.optional().describe('Key-value store over REST, instead of REDIS_URL.'),
  KV_REST_API_TOKEN: z.string().min(1).optional().describe('Bearer token of KV_REST_API_URL.'),
  UPSTASH_REDIS_REST_URL: url.optional().describe('Another name of KV_REST_API_URL.'),
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1).optional().describe('Bearer token of UPSTASH_REDIS_REST_URL.'),
  MARKETPLACE_ADMIN_SECRET: hostSecret
    .optional()
    .describe(
      'Admin secret: the bearer token of the operator for the admin endpoints of the gateway and the agent service. It also encrypts the secrets of webhooks. If unset: the admin endpoints are disabled, and webhooks cannot have a secret.',
    ),
  MARKETPLACE_ADMIN_SECRET_FALLBACK: hostSecret
    .optional()
    .describe(
      'While the admin secret is rotated, the next or the previous one. It also decrypts the secrets of webhooks, and does nothing else.',
    ),
  CRON_SECRET: hostSecret
    .optional()
    .describe('Bearer token of a scheduler; it allows dispatching webhooks and nothing else.'),
  MARKETPLACE_ANON_RPM: integer(1, 1_000_000)
    .default(30)
    .describe(
      'Requests per minute of an address without a credential, and of each executor key or session of the agent; needs a key-value store.',
    ),
  TRUST_PROXY: integer(0, 10)
    .default(0)
    .describe(
      'Number of proxies in front of this host; the outermost one reports the address of the caller.',
    ),
  TOOLS_HOST: hostAddress
    .default('127.0.0.1')
    .describe('Address the tool service listens on; only the agent service needs to reach it.'),
  TOOLS_PORT: integer(0, 65_535).default(0).describe('Port of the tool service; 0 picks a free one.'),
  TOOLS_URL: url
    .optional()
    .describe('Url of the tool service, for the agent service. If unset: they run in one process.'),
  AGENT_SECRET_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Managed key that signs actions: ed25519, suiprivkey1.... If unset: this host runs no actions.',
    ),
  AGENT_SECRET_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('File that holds the managed key, readable by its owner only; instead of AGENT_SECRET_KEY.'),
  AGENT_HOST: hostAddress
    .default('127.0.0.1')
    .describe('Address the agent service listens on; only the gateway needs to reach it.'),
  AGENT_PORT: integer(0, 65_535).default(0).describe('Port of the agent service; 0 picks a free one.'),
  AGENT_URL: url
    .optional()
    .describe(
      'Url of the agent service, for the gateway. If unset: they run in one process, or there is no agent service.',
    ),
  AGENT_DAILY_LIMITS: dailyLimitsSetting
    .default('0x2::sui::SUI=20000000000')
    .describe(
      'Maximum that runs may spend of a coin per wallet and UTC day: <coin type>=<base units>, comma-separated; * for ' +
        'other coins. A value replaces the default, 20 SUI; coins that it leaves out have no limit.',
    ),
  AGENT_GAS_MAX: integer(2_500_000, 50_000_000_000)
    .default(100_000_000)
    .describe('Maximum gas of one run, in MIST: a larger budget is not signed.'),
  AGENT_GAS_DAILY: gasDailySetting
    .default(gasDailyDefault)
    .describe(
      'Maximum gas that runs are charged per UTC day, in MIST: for each wallet, for all wallets of an owner, and for all ' +
        'callers together that have neither a plan nor a key of the operator. A limit that is left out keeps its default.',
    ),
  AGENT_RUNS_DAILY: integer(1, 1_000_000)
    .default(200)
    .describe('Maximum number of runs per wallet and UTC day, failed runs included, and of simulations.'),
  AGENT_PAYWALL_URL: url
    .optional()
    .describe('Url where owners get a plan; if set, each run needs an active plan.'),
  INTERNAL_AGENT_SECRET: hostSecret
    .optional()
    .describe(
      'Secret by which the services of this host authenticate each other. If unset: they must run in one process.',
    ),
  INTERNAL_AGENT_CIDRS: cidrList.describe(
    'Address ranges, comma-separated, from which x-svc-internal-agent is forwarded to the agent service. Empty: none.',
  ),
};
