import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@adaptor-marketplace/process';
import { z } from 'zod';
import { slots } from '../../lib/actions/slots.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { canaryRateDefault } from '../../lib/config/per-network.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { parseJson } from '../../lib/json.ts';
import { describeAuditor } from './audits.ts';

const account = z.object({ address: z.string(), secretKey: z.string() });

/** `DATA_DIR/demo.json`: the addresses of the local network and the keys of its accounts, for experiments. */
const demoFileSchema = z.object({
  network: z.literal('testnet'),
  rpcUrl: z.url(),
  /** The HTTP API; null until a gateway has started. */
  baseUrl: z.url().nullable(),
  faucetUrl: z.url(),
  blobStoreUrl: z.url(),
  /** A funded account for experiments, and its wallet. */
  owner: account.extend({ walletId: z.string() }),
  /** Acts for that wallet alone: its delegate, with two of its caps. Callers run its actions with `executorKey`. */
  agent: account.extend({ executorKey: z.string() }),
  /** The managed key, from which the addresses that act for wallets are derived; it pays the gas. */
  host: account,
  /** An agent with a key of its own: delegate of several wallets, and for hire. */
  treasurer: account,
  provider: account,
  /** A job of the owner's that is paid and waits for the provider. */
  jobId: z.string(),
  publishers: z.array(account.extend({ name: z.string(), serviceTypes: z.array(z.string()) })),
  packages: z.object({
    registry: z.string(),
    wallet: z.string(),
    rules: z.string(),
    agents: z.string(),
    escrow: z.string(),
    attestations: z.string(),
    auditor: z.string(),
    /** Package ids by the folders in `move/protocols` and `move/adaptors`. */
    protocols: z.record(z.string(), z.string()),
    adaptors: z.record(z.string(), z.string()),
  }),
  /** Shared objects: the registries, those that the adaptors work on, the allowlist of the owner's wallet. */
  objects: z.object({
    registry: z.string(),
    rules: z.string(),
    agents: z.string(),
    attestations: z.string(),
    pool: z.string(),
    vault: z.string(),
    jar: z.string(),
    savings: z.string(),
    allowlist: z.string(),
  }),
  /** The adaptors that fill the slots of the agent's actions, and what they work on. */
  venues: z.record(
    z.enum(slots),
    z.object({
      serviceType: z.string(),
      /** Shared objects by role: pool, market, issuer, vault, prices. */
      objects: z.record(z.string(), z.string()),
      /** Coin types by role: a, b, asset, share, collateral, stablecoin, reward, base, quote. */
      coins: z.record(z.string(), z.string()),
    }),
  ),
});
export type DemoFile = z.infer<typeof demoFileSchema>;

const pathIn = (dataDir: string) => join(dataDir, 'demo.json');

/** Reads the file; undefined without one. @throws FatalError `data_dir_outdated` for a file of another version */
export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const file = demoFileSchema.safeParse(parseJson(text));
  if (file.success) return file.data;
  const missing = file.error.issues.map(({ path }) => path.join('.') || 'everything').join(', ');
  const reason =
    `DATA_DIR: the local network in ${dataDir} was made by another version of this service ` +
    `(demo.json lacks ${missing}). Remove ${dataDir} to start over, or set another DATA_DIR.`;
  throw new FatalError('data_dir_outdated', reason);
}

/** Writes the file, whole or not at all. */
export async function writeDemoFile(dataDir: string, file: DemoFile): Promise<void> {
  await replaceFile(pathIn(dataDir), `${JSON.stringify(file, null, 2)}\n`, 0o600);
}

export function toSettings({
  network,
  rpcUrl,
  packages,
  objects,
  blobStoreUrl,
  venues,
}: DemoFile): NetworkSettings {
  return {
    network,
    rpcUrl,
    registryPackageId: packages.registry,
    registryObjectId: objects.registry,
    canaryRate: canaryRateDefault,
    walletPackageId: packages.wallet,
    rulesPackageId: packages.rules,
    rulesObjectId: objects.rules,
    agentsPackageId: packages.agents,
    agentsObjectId: objects.agents,
    escrowPackageId: packages.escrow,
    attesters: {
      packageId: packages.attestations,
      registryId: objects.attestations,
      list: [describeAuditor(packages.auditor)],
    },
    slots: Object.fromEntries(
      Object.entries(venues).map(([slot, { serviceType }]) => [slot, { serviceType }]),
    ),
    aggregatorUrl: blobStoreUrl,
    publisherUrl: blobStoreUrl,
  };
}
