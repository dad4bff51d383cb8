import { publicUrl } from '../outbound/errors.ts';
import { loadConfig, settingShapes } from './index.ts';

/** Settings whose value the operator may see. An allowlist: a new setting is masked until it is added here. */
const shownNames =
  /^(PORT|HOST|PUBLIC_URL|SECURITY_CONTACT|GRAPHQL_TRUSTED_DOCUMENTS|METRICS_PORT|DATA_DIR|DATABASE_PREPARED_STATEMENTS|EMBEDDED_POSTGRES_PORT|AWS_REGION|DEFAULT_NETWORK|LOG_LEVEL|OUTBOUND_ALLOW_CIDRS|MAX_LAG_SECONDS|READ_DATABASE_LAG_SECONDS|LOCALNET_(HOST|PORT|FAUCET_PORT|BLOBS_PORT)|MARKETPLACE_ANON_RPM|TRUST_PROXY|(TOOLS|AGENT)_(HOST|PORT)|AGENT_(DAILY_LIMITS|GAS_MAX|GAS_DAILY|RUNS_DAILY)|INTERNAL_AGENT_CIDRS|SUI_(TESTNET|MAINNET)_(RPC_BUDGET|CANARY_RATE|EXPLORER_URL)|(TESTNET|MAINNET)_([A-Z]+_(PACKAGE|OBJECT)_ID|DEPLOYMENT_FILE|SLOTS|ATTESTERS|RANKING_PAYEES))$/;

/** Settings whose url is shown as its origin alone: urls of providers can have keys in all other parts. */
const originNames =
  /^((KV_REST_API|UPSTASH_REDIS_REST|TOOLS|AGENT|AGENT_PAYWALL)_URL|AWS_ENDPOINT_URL|SUI_(TESTNET|MAINNET)_(RPC|ARCHIVE|CHECKPOINTS|MVR)_URL|WALRUS_(TESTNET|MAINNET)_(AGGREGATOR|PUBLISHER)_URL)$/;

/** Returns the value of a setting as the operator may see it. */
export function maskSecret(name: string, given: string): string {
  if (shownNames.test(name)) return given;
  if (/^SUI_(TESTNET|MAINNET)_RPC_URLS$/.test(name)) return given.split(',').map(publicUrl).join(',');
  return originNames.test(name) ? publicUrl(given) : '[masked]';
}

export interface DescribedSetting {
  name: string;
  /** Effective value: `[masked]` if it is secret, empty if there is none. */
  value: string;
  /** `true` if the environment sets it. Otherwise the value is the default. */
  isSet: boolean;
  meaning: string;
}

/**
 * Lists every setting with its effective value and its description. Secrets are masked.
 * @throws FatalError `bad_settings` if a setting is wrong
 */
export function describeSettings(env: Record<string, string | undefined>): DescribedSetting[] {
  loadConfig(env);
  return Object.entries(settingShapes).map(([name, schema]) => {
    const given = env[name] || undefined;
    const shown = given === undefined ? schema.safeParse(undefined).data : maskSecret(name, given);
    return {
      name,
      value: shown === undefined ? '' : String(shown),
      isSet: given !== undefined,
      meaning: schema.description ?? '',
    };
  });
}
