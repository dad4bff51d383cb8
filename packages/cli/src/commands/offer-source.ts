import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { packSourceFolder, readSourceFolder } from '@adaptor-marketplace/move-toolchain/verify';
import {
  type Marketplace,
  MarketplaceError,
  type PackageSource,
  type SourceOfferRequest,
} from '@adaptor-marketplace/sdk';
import { CommandFailedError, type Io, say } from '../io.ts';

/** The marketplace builds one source at a time, and other offers can wait before this one. */
const patienceMs = 600_000;
const tickMs = 1_000;

/** Time for which an offer waits for an earlier one of the same machine: a marketplace queues one of each address. */
const queueMs = 60_000;

async function offerPatiently(market: Marketplace, offer: SourceOfferRequest): Promise<PackageSource> {
  for (const until = performance.now() + queueMs; ; ) {
    try {
      return await market.offerSource(offer);
    } catch (error) {
      const isEarly = error instanceof MarketplaceError && error.status === 429;
      if (!isEarly || performance.now() > until) throw error;
      await delay(tickMs);
    }
  }
}

/**
 * Offers the source of a project whose listing the catalog has, and does not wait for the verdict. The listing stands
 * without it, so a refusal is a warning.
 */
export async function offerProject(
  io: Io,
  market: Marketplace,
  { folder, ...offer }: { folder: string; packageId: string; network: SourceOfferRequest['network'] },
): Promise<void> {
  try {
    const read = await readSourceFolder(folder);
    const source = await packSourceFolder(read);
    const { verdict } = await offerPatiently(market, { ...offer, source, folder: read.folder });
    const shown = 'offered: the catalog shows how it compares with the code on chain once it is built';
    say(io.err, [`source   ${verdict === 'pending' ? shown : verdict}`]);
  } catch (error) {
    say(io.err, [
      `warning  The source was not offered: ${getErrorMessage(error)}`,
      `         To offer it later: adaptor-marketplace verify ${offer.packageId} --source ${folder} --offer`,
    ]);
  }
}

/**
 * Sends source to a marketplace, and waits until the marketplace has compared it with the code on chain.
 * @throws CommandFailedError after ten minutes; MarketplaceError if the marketplace refuses the source
 */
export async function offerSource(
  io: Io,
  market: Marketplace,
  offer: SourceOfferRequest,
): Promise<PackageSource> {
  say(io.err, [`sending  the source to ${market.baseUrl}`]);
  const offered = await market.offerSource(offer);
  if (offered.verdict !== 'pending') return offered;
  const started = performance.now();
  if (!io.liveErr) say(io.err, ['waiting  for the verdict of the marketplace']);
  const show = () => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    io.err(`\r\u001b[Kwaiting  for the verdict of the marketplace (${seconds} s)`);
  };
  const ticking = io.liveErr ? setInterval(show, tickMs) : undefined;
  const patience = AbortSignal.timeout(patienceMs);
  try {
    return await market.awaitVerdict(offered, { signal: patience });
  } catch (error) {
    if (!patience.aborted) throw error;
    throw new CommandFailedError(
      `The marketplace has no verdict after ${patienceMs / 60_000} minutes. The offer stays in its queue: ` +
        `run the command again to read the verdict, and see ${market.baseUrl}/status.`,
    );
  } finally {
    clearInterval(ticking);
    if (ticking !== undefined) io.err('\r\u001b[K');
  }
}
