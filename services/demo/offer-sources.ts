import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { packSourceFolder, readSourceFolder } from '@adaptor-marketplace/move-toolchain/verify';
import {
  createMarketplace,
  type Marketplace,
  MarketplaceError,
  type PackageSource,
  type SourceOfferRequest,
} from '@adaptor-marketplace/sdk';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import type { DemoFile } from './file.ts';

const retryMs = 1_000;

/**
 * Offers the source of the demo's listed adaptors that have no verdict yet, and then of the packages that their code can
 * reach, by the endpoint that anyone can use. Each offer waits for the verdict of the one before.
 * @throws MarketplaceError, ConnectionError, the signal's reason
 */
export async function offerSources(
  baseUrl: string,
  { network, packages }: Pick<DemoFile, 'network' | 'packages'>,
  signal: AbortSignal,
): Promise<void> {
  const market = createMarketplace({ baseUrl });
  const { adaptors, protocols, ...core } = packages;
  const folders = new Map(
    [
      listFolders(adaptors, join(moveDir, 'adaptors')),
      listFolders(protocols, join(moveDir, 'protocols')),
      listFolders(core, moveDir),
    ].flat(),
  );
  const offerOnce = async (packageId: string) => {
    const folder = folders.get(packageId);
    if (folder === undefined) return;
    folders.delete(packageId);
    const read = await readSourceFolder(folder);
    const source = await packSourceFolder(read);
    await offer(market, { network, packageId, source, folder: read.folder }, signal);
  };
  const own = new Set(Object.values(adaptors));
  const listed: { serviceType: string; publisher: string }[] = [];
  for await (const { packageId, sourceVerdict, serviceType, publisher } of market.adaptors({ network })) {
    if (!own.has(packageId)) continue;
    listed.push({ serviceType, publisher });
    if (sourceVerdict === null) await offerOnce(packageId);
  }
  for (const { serviceType, publisher } of listed) {
    for (const { packageId, verdict } of await readReached(
      market,
      { network, serviceType, publisher },
      signal,
    ))
      if (verdict === 'not_offered') await offerOnce(packageId);
  }
}

const listFolders = (ids: Readonly<Record<string, string>>, dir: string) =>
  Object.entries(ids).map(([folder, id]) => [id, join(dir, folder)] as const);

/** Reads the packages that the code of a listing can reach, once its bytecode is analyzed. */
async function readReached(
  market: Marketplace,
  { serviceType, ...query }: { network: Network; serviceType: string; publisher: string },
  signal: AbortSignal,
): Promise<PackageSource['reaches']> {
  for (;;) {
    const { reaches } = await market.api.getAdaptorSource({ path: { serviceType }, query, signal });
    if (reaches.length > 0) return reaches;
    await delay(retryMs, undefined, { signal });
  }
}

/** Offers source and waits for its verdict. It repeats an offer that is refused for another offer from this machine. */
async function offer(market: Marketplace, request: SourceOfferRequest, signal: AbortSignal): Promise<void> {
  try {
    await market.verifySource(request, { signal });
  } catch (error) {
    if (!(error instanceof MarketplaceError && error.status === 429)) throw error;
    await delay(retryMs, undefined, { signal });
    await offer(market, request, signal);
  }
}
