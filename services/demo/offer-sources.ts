import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packSourceFolder, readSourceFolder } from '@adaptor-marketplace/move-toolchain/verify';
import {
  createMarketplace,
  type Marketplace,
  MarketplaceError,
  type SourceOfferRequest,
} from '@adaptor-marketplace/sdk';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import type { DemoFile } from './file.ts';

const retryMs = 1_000;

/**
 * Offers the source of the demo's listed adaptors that have no verdict yet, by the endpoint that anyone can use. Each
 * offer waits for the verdict of the one before.
 * @throws MarketplaceError, ConnectionError, the signal's reason
 */
export async function offerSources(
  baseUrl: string,
  { network, packages }: Pick<DemoFile, 'network' | 'packages'>,
  signal: AbortSignal,
): Promise<void> {
  const market = createMarketplace({ baseUrl });
  const folders = new Map(Object.entries(packages.adaptors).map(([folder, id]) => [id, folder]));
  for await (const { packageId, sourceVerdict } of market.adaptors({ network })) {
    const folder = folders.get(packageId);
    if (folder === undefined || sourceVerdict !== null) continue;
    folders.delete(packageId);
    const read = await readSourceFolder(join(moveDir, 'adaptors', folder));
    const source = await packSourceFolder(read);
    await offer(market, { network, packageId, source, folder: read.folder }, signal);
  }
}

/** Offers source and waits for its verdict. It repeats an offer that is refused for another offer from this machine. */
async function offer(market: Marketplace, request: SourceOfferRequest, signal: AbortSignal): Promise<void> {
  try {
    const offered = await market.offerSource(request, { signal });
    if (offered.verdict === 'pending') await market.awaitVerdict(offered, { signal });
  } catch (error) {
    if (!(error instanceof MarketplaceError && error.status === 429)) throw error;
    await delay(retryMs, undefined, { signal });
    await offer(market, request, signal);
  }
}
