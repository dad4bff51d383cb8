import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { readAdaptorFeed, readPublisherFeed } from '../../../db/queries/catalog/feed.ts';
import { readListedEntries } from '../../../db/queries/catalog/find.ts';
import { readListingStandings } from '../../../db/queries/catalog/listing.ts';
import type { FeedEvent } from '../../../db/queries/feed-event.ts';
import { readPublishers } from '../../../db/queries/publishers.ts';
import { readWalletFeed } from '../../../db/queries/wallets/feed.ts';
import { problem } from '../../../lib/errors/index.ts';
import { getSearch } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import {
  adaptorFeedPath,
  adaptorPath,
  publisherFeedPath,
  publisherPath,
} from '../../../web/components/links.ts';
import { type EntryNames, entriesMax, sendFeed } from './atom.ts';
import { buildPageRequest, pickParameters, runInShare, type SiteDependencies } from './site.ts';

/** Atom feeds, for feed readers. The rate limit counts them, since no page of the site loads them. */

type FeedRoute = Route<SiteDependencies & { db: Pool }>;

const createFeedRoute = (path: string, answer: FeedRoute['answer']): FeedRoute => ({
  method: 'get',
  path,
  mediaType: 'application/atom+xml',
  parameters: pickParameters(path),
  answer,
});

const notFound = (what: string) =>
  problem('not_found', `There is no such ${what}. Check its id, and the network that you name.`);

/** Finds display names in the entries that the catalog shows. An adaptor's name is that of its shown listing. */
function findNames(entries: Awaited<ReturnType<typeof readListedEntries>>): EntryNames {
  const byType = new Map(entries.flatMap((entry) => (entry ? [[entry.serviceType, entry] as const] : [])));
  return ({ serviceType, publisher }) => {
    const entry = serviceType === null ? undefined : byType.get(serviceType);
    return entry && (publisher === null || publisher === entry.publisher) ? entry.displayName : undefined;
  };
}

const extras = { fields: [], alikeNames: false };

/** Reads the display names of the adaptors in a feed. */
async function readNames(db: Pool, network: string, events: readonly FeedEvent[]): Promise<EntryNames> {
  const types = new Set(events.flatMap(({ serviceType }) => serviceType ?? []));
  const keys = [...types].map((serviceType) => ({ network, serviceType }));
  return findNames(await readListedEntries(db, keys, extras));
}

const adaptorFeedRoute = createFeedRoute(
  '/a/:network/:serviceType/feed.xml',
  async (exchange, parameters, { site, db }) => {
    const { network, origin } = buildPageRequest(exchange, parameters, site);
    const named = parseServiceType(parameters.serviceType ?? '');
    const publisherText = new URLSearchParams(getSearch(exchange)).get('publisher');
    const publisher = publisherText === null ? undefined : normalizeAddress(publisherText);
    if ('error' in named || (publisherText !== null && publisher === undefined)) throw notFound('adaptor');
    const serviceType = named.canonical;
    const found = await runInShare(exchange, site, async () => {
      const key = { network, serviceType, publisher };
      const [[listing], [entry, shown], events] = await Promise.all([
        readListingStandings(db, [key]),
        readListedEntries(db, [key, { network, serviceType }], extras),
        readAdaptorFeed(db, key, entriesMax),
      ]);
      return { listing, entry, events, names: findNames([shown]) };
    });
    if (!found) return;
    if (!found.listing) throw notFound('adaptor');
    const name = found.entry?.displayName ?? serviceType;
    const feed = {
      id: `adaptor:${serviceType}${publisher === undefined ? '' : `:${publisher}`}`,
      title: `${name}: what changed`,
      self: adaptorFeedPath(network, serviceType, publisher),
      page: adaptorPath(network, serviceType, publisher),
      network,
      origin,
      names: found.names,
    };
    await sendFeed(exchange, feed, found.events);
  },
);

const publisherFeedRoute = createFeedRoute(
  '/p/:address/feed.xml',
  async (exchange, parameters, { site, db }) => {
    const { network, origin } = buildPageRequest(exchange, parameters, site);
    const publisher = normalizeAddress(parameters.address ?? '');
    if (!publisher) throw notFound('publisher');
    const found = await runInShare(exchange, site, async () => {
      const [[known], events] = await Promise.all([
        readPublishers(db, [{ network, address: publisher }]),
        readPublisherFeed(db, { network, publisher }, entriesMax),
      ]);
      return { known, events, names: await readNames(db, network, events) };
    });
    if (!found) return;
    if (!found.known) throw notFound('publisher');
    const feed = {
      id: `publisher:${publisher}`,
      title: `Publisher ${publisher}: what changed`,
      self: publisherFeedPath(network, publisher),
      page: publisherPath(network, publisher),
      network,
      origin,
      names: found.names,
    };
    await sendFeed(exchange, feed, found.events);
  },
);

const walletFeedRoute = createFeedRoute('/wallet/feed.xml', async (exchange, parameters, { site, db }) => {
  const { network, origin } = buildPageRequest(exchange, parameters, site);
  const walletId = normalizeAddress(new URLSearchParams(getSearch(exchange)).get('wallet')?.trim() ?? '');
  if (!walletId)
    throw problem('not_found', 'Name a wallet: /wallet/feed.xml?wallet=0x… with the id of the wallet.');
  const found = await runInShare(exchange, site, async () => {
    const events = await readWalletFeed(db, { network, walletId }, entriesMax);
    return { events, names: await readNames(db, network, events) };
  });
  if (!found) return;
  const search = new URLSearchParams({ network, wallet: walletId });
  const feed = {
    id: `wallet:${walletId}`,
    title: `What became of the adaptors that the wallet ${walletId} has allowed`,
    self: `/wallet/feed.xml?${search}`,
    page: `/wallet?${search}`,
    network,
    origin,
    names: found.names,
  };
  await sendFeed(exchange, feed, found.events);
});

export const feedRoutes = [adaptorFeedRoute, publisherFeedRoute, walletFeedRoute];
