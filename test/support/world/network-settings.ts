import { type DemoFile, toSettings } from '../../../services/demo/file.ts';

interface NetworkUrls {
  node: string;
  archive: string;
  blobs: string;
}

/** Builds the settings by which an operator would serve the network of the demo, with its managed key. */
export function buildNetworkSettings(demo: DemoFile, urls: NetworkUrls): Record<string, string> {
  const settings = toSettings(demo);
  return {
    SUI_TESTNET_RPC_URL: urls.node,
    SUI_TESTNET_ARCHIVE_URL: urls.archive,
    SUI_TESTNET_MVR_URL: 'off',
    WALRUS_TESTNET_AGGREGATOR_URL: urls.blobs,
    WALRUS_TESTNET_PUBLISHER_URL: urls.blobs,
    TESTNET_REGISTRY_PACKAGE_ID: settings.registryPackageId,
    TESTNET_REGISTRY_OBJECT_ID: settings.registryObjectId,
    TESTNET_WALLET_PACKAGE_ID: demo.packages.wallet,
    TESTNET_RULES_PACKAGE_ID: demo.packages.rules,
    TESTNET_RULES_OBJECT_ID: demo.objects.rules,
    TESTNET_AGENTS_PACKAGE_ID: demo.packages.agents,
    TESTNET_AGENTS_OBJECT_ID: demo.objects.agents,
    TESTNET_ESCROW_PACKAGE_ID: demo.packages.escrow,
    TESTNET_SLOTS: JSON.stringify(settings.slots),
    TESTNET_ATTESTERS: JSON.stringify(settings.attesters),
    AGENT_SECRET_KEY: demo.host.secretKey,
  };
}
