import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { displayText } from '@adaptor-marketplace/adaptor/names';
import type { Pool } from 'pg';
import { type FeedEvent, readWalletFeed } from '../../../db/queries/wallets/feed.ts';
import { type RegistryEventName, registryEventWords } from '../../../lib/chain/events/registry.ts';
import { problem } from '../../../lib/errors/index.ts';
import { computeDigest, getSearch, sendContent } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import { type ServiceEventName, serviceEventKinds } from '../../../lib/webhooks/service-events.ts';
import { adaptorPath, publisherPath } from '../../../web/components/links.ts';
import { escaped } from './page.ts';
import { buildPageRequest, inShare, type SiteDependencies } from './site.ts';

const eventsMax = 20;

const isOfService = (name: string): name is ServiceEventName => Object.hasOwn(serviceEventKinds, name);

/** Returns the meaning of an event in words, with the reason that it names. */
function describe({ name, data }: FeedEvent): string {
  const words = isOfService(name)
    ? serviceEventKinds[name].words
    : registryEventWords[name as RegistryEventName];
  const { reason, version } = data ?? {};
  return [
    words,
    ...(typeof version === 'number' ? [`Version ${version}.`] : []),
    ...(typeof reason === 'string' ? [`Reason: ${displayText(reason)}.`] : []),
  ].join(' ');
}

/** Characters that XML 1.0 does not allow, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string): string => escaped(text.toWellFormed().replace(notXml, ''));

function formatEntry(event: FeedEvent, network: string, origin: string): string {
  const { id, name, timestamp, serviceType, publisher } = event;
  const subject = serviceType ?? publisher ?? '';
  const path = serviceType === null ? publisherPath(network, subject) : adaptorPath(network, serviceType);
  return `
  <entry>
    <id>urn:adaptor-marketplace:${network}:${xml(id)}</id>
    <title>${xml(`${name}: ${subject}`)}</title>
    <updated>${timestamp.toISOString()}</updated>
    <link href="${xml(origin + path)}"/>
    <category term="${xml(name)}"/>
    <summary>${xml(describe(event))}</summary>
  </entry>`;
}

function formatFeed(events: readonly FeedEvent[], walletId: string, network: string, origin: string): string {
  const page = `${origin}/wallet?${new URLSearchParams({ network, wallet: walletId })}`;
  const self = `${origin}/wallet/feed.xml?${new URLSearchParams({ network, wallet: walletId })}`;
  const updated = events[0]?.timestamp ?? new Date(0);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:adaptor-marketplace:${network}:wallet:${walletId}</id>
  <title>What became of the adaptors that the wallet ${walletId} has allowed</title>
  <updated>${updated.toISOString()}</updated>
  <author><name>Adaptor marketplace</name></author>
  <link rel="self" type="application/atom+xml" href="${xml(self)}"/>
  <link rel="alternate" type="text/html" href="${xml(page)}"/>${events.map((event) => formatEntry(event, network, origin)).join('')}
</feed>
`;
}

/** An Atom feed of a wallet, for feed readers. The rate limit counts it, since no page of the site loads it. */
export const walletFeedRoute: Route<SiteDependencies & { db: Pool }> = {
  method: 'get',
  path: '/wallet/feed.xml',
  mediaType: 'application/atom+xml',
  async answer(exchange, parameters, { site, db }) {
    const { network, origin } = buildPageRequest(exchange, parameters, site);
    const walletId = normalizeAddress(new URLSearchParams(getSearch(exchange)).get('wallet')?.trim() ?? '');
    if (!walletId)
      throw problem('not_found', 'Name a wallet: /wallet/feed.xml?wallet=0x… with the id of the wallet.');
    const events = await inShare(exchange, site, () => readWalletFeed(db, { network, walletId }, eventsMax));
    if (!events) return;
    const body = Buffer.from(formatFeed(events, walletId, network, origin));
    const contentType = 'application/atom+xml; charset=utf-8';
    await sendContent(exchange, {
      body,
      contentType,
      cacheControl: 'public, no-cache',
      tag: computeDigest(body),
    });
  },
};
