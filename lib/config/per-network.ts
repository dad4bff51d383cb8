import { getErrorMessage, type Network, networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readSlots, slotsSetting } from '../actions/slots.ts';
import { FatalError } from '../errors/index.ts';
import { attestersSetting, readAttesters } from './attesters.ts';
import { buildDeploymentPath, type Deployment, readDeployment } from './deployments.ts';
import { addressList, folderUrl, integer, objectId, url, urlOfId } from './fields.ts';
import type { ConfiguredNetwork } from './networks.ts';
import { providerUrlsSetting, readProviders } from './providers.ts';

const perNetwork = {
  SUI_NETWORK_RPC_URL: url
    .optional()
    .describe('Full node gRPC url. If unset for every network: a local testnet is started.'),
  SUI_NETWORK_ARCHIVE_URL: url
    .optional()
    .describe('Archive node, for the history that the full node has pruned.'),
  SUI_NETWORK_CHECKPOINTS_URL: folderUrl
    .optional()
    .describe(
      'Bucket of checkpoint files (`<number>.binpb.zst`) for that history, used if the archive is unset or lists nothing by filter.',
    ),
  SUI_NETWORK_RPC_URLS: providerUrlsSetting
    .optional()
    .describe('Two or more full nodes in place of RPC_URL, comma-separated. The healthiest is used.'),
  SUI_NETWORK_RPC_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe(
      'x-token for the node and the archive. With RPC_URLS: one for each url, comma-separated, in order.',
    ),
  SUI_NETWORK_RPC_BUDGET: integer(10, 1_000_000)
    .transform(String)
    .optional()
    .describe('Maximum number of requests to each provider in 30 seconds. If unset: any number.'),
  SUI_NETWORK_CANARY_RATE: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3})?$/, 'expected a number from 0 to 999, such as 2 or 0.5')
    .optional()
    .describe(
      'Maximum number of simulations in a second that show if operations of adaptors work. Default: 2, and never more than a fifth of RPC_BUDGET. 0: none.',
    ),
  SUI_NETWORK_EXPLORER_URL: urlOfId
    .optional()
    .describe(
      'Explorer to which pages link ids, such as https://explorer.example/{kind}/{id}. {kind} becomes object, account or tx. If unset: the local network links its own, and other networks none.',
    ),
  SUI_NETWORK_MVR_URL: z
    .union([z.literal('off'), url], { error: 'expected an http(s) url or off' })
    .optional()
    .describe(
      'Server of the Move Registry (MVR) that names of packages are read from. Default: https://<network>.mvr.mystenlabs.com. off: none, as on the local network.',
    ),
  NETWORK_DEPLOYMENT_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file with the ids of the packages. If unset: deployments/<network>.json. Settings by name have priority.',
    ),
  NETWORK_REGISTRY_PACKAGE_ID: objectId
    .optional()
    .describe(
      'Registry package, as first published. If it differs from that of the deployment file, the file is not used.',
    ),
  NETWORK_REGISTRY_OBJECT_ID: objectId
    .optional()
    .describe(
      'The shared Registry object. If unset: found from the transaction that published the registry.',
    ),
  NETWORK_WALLET_PACKAGE_ID: objectId.optional().describe('Wallet package, as first published.'),
  NETWORK_RULES_PACKAGE_ID: objectId.optional().describe('Policy rule package, as first published.'),
  NETWORK_RULES_OBJECT_ID: objectId.optional().describe('The shared rule Registry object.'),
  NETWORK_ALLOWLIST_PACKAGE_ID: objectId
    .optional()
    .describe('Recipient allowlist package, as first published. If unset: the rules package.'),
  NETWORK_AGENTS_PACKAGE_ID: objectId.optional().describe('Agent registry package, as first published.'),
  NETWORK_AGENTS_OBJECT_ID: objectId.optional().describe('The shared agent Registry object.'),
  NETWORK_ESCROW_PACKAGE_ID: objectId.optional().describe('Escrow package, as first published.'),
  NETWORK_SLOTS: slotsSetting
    .optional()
    .describe("JSON: the service types of the adaptors that agents' actions go to, by slot."),
  NETWORK_ATTESTERS: attestersSetting
    .optional()
    .describe(
      'JSON: attesters whose on-chain statements about packages are shown, with the package and the Registry object by which they make them.',
    ),
  NETWORK_RANKING_PAYEES: addressList
    .optional()
    .describe(
      'Addresses, separated by commas, that are independent of publishers and agents, such as treasuries of known protocols. What a wallet pays to them counts in the ranking.',
    ),
  WALRUS_NETWORK_AGGREGATOR_URL: url.optional().describe('Walrus aggregator that manifests are read from.'),
  WALRUS_NETWORK_PUBLISHER_URL: url.optional().describe('Walrus publisher that drafts are uploaded to.'),
};

type PerNetworkName = keyof typeof perNetwork;

function toSettingName(template: PerNetworkName, network: Network): string {
  return template.replace('NETWORK_', `${network.toUpperCase()}_`);
}

/** The per-network settings by their environment names, once per network. */
export const networkSettings: z.ZodObject<Record<string, z.ZodType<string | undefined>>> = z.object(
  Object.fromEntries(
    networks.flatMap((network) =>
      (Object.keys(perNetwork) as PerNetworkName[]).map((template) => [
        toSettingName(template, network),
        perNetwork[template],
      ]),
    ),
  ),
);

const defaultAggregators: Record<Network, string> = {
  testnet: 'https://aggregator.walrus-testnet.walrus.space',
  mainnet: 'https://aggregator.walrus-mainnet.walrus.space',
};

/** The networks that the settings name: those that can be served, and of the others the reason. */
export interface ConfiguredNetworks {
  found: ConfiguredNetwork[];
  unserved: Partial<Record<Network, string>>;
}

/** @throws FatalError `bad_settings` if nodes are set and no network has a registry */
export function readConfiguredNetworks(settings: Record<string, string | undefined>): ConfiguredNetworks {
  const found: ConfiguredNetwork[] = [];
  const unserved: ConfiguredNetworks['unserved'] = {};
  for (const network of networks) {
    const read = (template: PerNetworkName) => settings[toSettingName(template, network)];
    const providers = readConfiguredProviders(network, read);
    if (!providers) continue;
    const configured = readConfiguredNetwork(network, read, providers);
    if (typeof configured === 'string') unserved[network] = configured;
    else found.push(configured);
  }
  const [reason] = Object.values(unserved);
  if (found.length === 0 && reason !== undefined) throw new FatalError('bad_settings', reason);
  return { found, unserved };
}

type ReadSetting = (template: PerNetworkName) => string | undefined;
type ConfiguredProviders = NonNullable<ReturnType<typeof readProviders>>;

function readConfiguredProviders(network: Network, read: ReadSetting): ConfiguredProviders | undefined {
  try {
    return readProviders({
      url: read('SUI_NETWORK_RPC_URL'),
      urls: read('SUI_NETWORK_RPC_URLS'),
      token: read('SUI_NETWORK_RPC_TOKEN'),
    });
  } catch (error) {
    throw new FatalError('bad_settings', `SUI_${network.toUpperCase()}_${getErrorMessage(error)}`);
  }
}

/** The settings by name and their fields in a deployment file. */
const deployedFields = {
  NETWORK_REGISTRY_PACKAGE_ID: 'registryPackageId',
  NETWORK_REGISTRY_OBJECT_ID: 'registryObjectId',
  NETWORK_WALLET_PACKAGE_ID: 'walletPackageId',
  NETWORK_RULES_PACKAGE_ID: 'rulesPackageId',
  NETWORK_RULES_OBJECT_ID: 'rulesObjectId',
  NETWORK_ALLOWLIST_PACKAGE_ID: 'allowlistPackageId',
  NETWORK_AGENTS_PACKAGE_ID: 'agentsPackageId',
  NETWORK_AGENTS_OBJECT_ID: 'agentsObjectId',
  NETWORK_ESCROW_PACKAGE_ID: 'escrowPackageId',
} as const satisfies Partial<Record<PerNetworkName, keyof Deployment>>;
type DeployedField = (typeof deployedFields)[keyof typeof deployedFields];

/** Returns a network's settings, or the reason why it cannot be served. */
function readConfiguredNetwork(
  network: Network,
  read: ReadSetting,
  providers: ConfiguredProviders,
): ConfiguredNetwork | string {
  const fileSetting = toSettingName('NETWORK_DEPLOYMENT_FILE', network);
  const path = read('NETWORK_DEPLOYMENT_FILE') ?? buildDeploymentPath(network);
  const file = readDeployment(path, fileSetting);
  const registryPackageId = read('NETWORK_REGISTRY_PACKAGE_ID') ?? file.registryPackageId;
  if (registryPackageId === undefined) {
    const name = toSettingName('NETWORK_REGISTRY_PACKAGE_ID', network);
    return (
      `${name} is required because ${toSettingName(read('SUI_NETWORK_RPC_URL') ? 'SUI_NETWORK_RPC_URL' : 'SUI_NETWORK_RPC_URLS', network)} is set, and ` +
      `${path} names no registry: ${network} is not served.`
    );
  }
  // The other ids of the file belong to its registry.
  const defaults = registryPackageId === file.registryPackageId ? file : {};
  const named: Deployment = Object.fromEntries(
    Object.entries(deployedFields).map(([template, field]) => [field, read(template as PerNetworkName)]),
  );
  const isNamed = (field: DeployedField) => named[field] !== undefined;
  // An object belongs to its package.
  const isDefault = (field: DeployedField) =>
    !isNamed(field) && !isNamed(field.replace('ObjectId', 'PackageId') as DeployedField);
  const fields = Object.values(deployedFields);
  const ids = Object.fromEntries(
    fields.map((field) => [field, isDefault(field) ? defaults[field] : named[field]]),
  ) as Deployment;
  refuseSharedPackages(network, ids);
  const slots = read('NETWORK_SLOTS');
  const attesters = read('NETWORK_ATTESTERS');
  const budget = read('SUI_NETWORK_RPC_BUDGET');
  const mvrUrl = read('SUI_NETWORK_MVR_URL') ?? `https://${network}.mvr.mystenlabs.com`;
  return {
    network,
    ...providers,
    archiveUrl: read('SUI_NETWORK_ARCHIVE_URL'),
    checkpointsUrl: read('SUI_NETWORK_CHECKPOINTS_URL'),
    explorerUrl: read('SUI_NETWORK_EXPLORER_URL'),
    mvrUrl: mvrUrl === 'off' ? undefined : mvrUrl,
    rpcBudget: budget === undefined ? undefined : Number(budget),
    canaryRate: Number(read('SUI_NETWORK_CANARY_RATE') ?? canaryRateDefault),
    ...ids,
    registryPackageId,
    fromFile: fields.filter(isPackageField).filter((field) => ids[field] !== undefined && isDefault(field)),
    slots: slots === undefined ? undefined : readSlots(slots),
    attesters: attesters === undefined ? undefined : readAttesters(attesters),
    rankingPayees: read('NETWORK_RANKING_PAYEES')?.split(','),
    aggregatorUrl: read('WALRUS_NETWORK_AGGREGATOR_URL') ?? defaultAggregators[network],
    publisherUrl: read('WALRUS_NETWORK_PUBLISHER_URL'),
  };
}

/** Simulations in a second. */
export const canaryRateDefault = 2;

const isPackageField = (field: DeployedField): field is ConfiguredNetwork['fromFile'][number] =>
  field.endsWith('PackageId');

/** Packages that each have a source of their own: two sources of one package would store its events twice. */
const packageTemplates = [
  'NETWORK_REGISTRY_PACKAGE_ID',
  'NETWORK_WALLET_PACKAGE_ID',
  'NETWORK_RULES_PACKAGE_ID',
  'NETWORK_AGENTS_PACKAGE_ID',
  'NETWORK_ESCROW_PACKAGE_ID',
] as const;

function refuseSharedPackages(network: Network, ids: Deployment): void {
  const settingByPackage = new Map<string, string>();
  for (const template of packageTemplates) {
    const packageId = ids[deployedFields[template]];
    if (!packageId) continue;
    const name = toSettingName(template, network);
    const other = settingByPackage.get(packageId);
    if (other) throw new FatalError('bad_settings', `${other} and ${name} name the same package.`);
    settingByPackage.set(packageId, name);
  }
}
