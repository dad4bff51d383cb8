import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import type { FolderPublisher, PublishedFolder } from '../publish-folder.ts';
import type { Localnet } from '../start.ts';
import type { Options } from './options.ts';

/** What the flags had made before the network was ready. */
interface Prepared {
  published: PublishedFolder[];
  /** Who holds the upgrade caps, where no funded address does. */
  publisher: { address: string; secretKey: string } | null;
  funded: { address: string; coins: number }[];
}

/** Publishes and funds what the flags say. Funds last: publishing may fail. */
export async function prepare(
  localnet: Localnet,
  publisher: FolderPublisher,
  { fund, publish, watch }: Options,
): Promise<Prepared> {
  const prepared: Prepared = { published: [], publisher: null, funded: [] };
  for (const folder of publish) {
    for (const { folder: dir, packageId, upgradeCapId, modules, continued } of await publisher.publish(
      folder,
    )) {
      prepared.published.push({
        folder: dir,
        packageId,
        upgradeCapId,
        modules,
        ...(continued && { continued }),
      });
    }
  }
  if (publisher.account && (watch || fund.length === 0)) {
    const { address, keypair } = publisher.account;
    prepared.publisher = { address, secretKey: keypair.getSecretKey() };
  }
  for (const recipient of fund) {
    const { coins_sent: coins } = await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient });
    prepared.funded.push({ address: recipient, coins: coins?.length ?? 0 });
  }
  return prepared;
}

/** The same for people. */
export const linesOf = ({ published, publisher, funded }: Prepared): string[] => [
  ...published.flatMap(({ folder, packageId, upgradeCapId, modules, continued }) => [
    continued ? `continued  ${folder}` : `published  ${folder}`,
    `  package     ${packageId}`,
    `  upgrade cap ${upgradeCapId}`,
    `  modules     ${modules.join(', ')}`,
  ]),
  ...(publisher
    ? [
        `The upgrade caps belong to ${publisher.address} (without --watch, --fund ADDRESS gives them to it instead),`,
        `with this key, valid on this network only: ${publisher.secretKey}`,
      ]
    : []),
  ...funded.map(({ address, coins }) => `funded     ${address} with ${coins} coins`),
];
