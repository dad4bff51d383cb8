import { displayText } from '@adaptor-marketplace/adaptor/names';
import type { FeedEvent } from '../../../db/queries/feed-event.ts';
import { type RegistryEventName, registryEventWords } from '../../../lib/chain/events/registry.ts';
import { computeDigest, type Exchange, sendContent } from '../../../lib/http/exchange.ts';
import { type ServiceEventName, serviceEventKinds } from '../../../lib/webhooks/service-events.ts';
import { adaptorPath, publisherPath } from '../../../web/components/links.ts';
import { escapeHtml } from './page.ts';

/** Entries of a feed, at most: the latest ones. */
export const entriesMax = 20;

/** The subject of a feed. Paths begin with a slash. */
interface Feed {
  /** Name of the feed within its network, which never changes. */
  id: string;
  title: string;
  /** Path of the feed itself. */
  self: string;
  /** Path of the page that shows the same. */
  page: string;
  network: string;
  origin: string;
  names: EntryNames;
}

/** Returns the display name of the listing that an event is about; undefined if the catalog shows none, or another's. */
export type EntryNames = (event: FeedEvent) => string | undefined;

const isOfService = (name: string): name is ServiceEventName => Object.hasOwn(serviceEventKinds, name);

/** Returns the meaning of an event in words, with the version, the score or the reason that it names. */
function describeEvent({ name, data }: FeedEvent): string {
  const words = isOfService(name)
    ? serviceEventKinds[name].words
    : registryEventWords[name as RegistryEventName];
  const { reason, version, score } = data ?? {};
  return [
    words,
    ...(typeof version === 'number' ? [`Version ${version}.`] : []),
    ...(typeof score === 'number' ? [`Score: ${score} of 5.`] : []),
    ...(typeof reason === 'string' ? [`Reason: ${displayText(reason)}.`] : []),
  ].join(' ');
}

/** Characters that XML 1.0 does not allow, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const escapeXml = (text: string): string => escapeHtml(text.toWellFormed().replace(notXml, ''));

function formatEntry(event: FeedEvent, { network, origin, names }: Feed): string {
  const { id, name, timestamp, serviceType, publisher } = event;
  const subject = serviceType ?? publisher ?? '';
  const displayName = names(event);
  const title = displayName === undefined ? subject : `${displayText(displayName)} (${subject})`;
  // Without its publisher, the page of a service type is that of the listing that the catalog shows.
  const own = displayName === undefined ? (publisher ?? undefined) : undefined;
  const path =
    serviceType === null ? publisherPath(network, subject) : adaptorPath(network, serviceType, own);
  return `
  <entry>
    <id>urn:adaptor-marketplace:${network}:${escapeXml(id)}</id>
    <title>${escapeXml(`${name}: ${title}`)}</title>
    <updated>${timestamp.toISOString()}</updated>
    <link href="${escapeXml(origin + path)}"/>
    <category term="${escapeXml(name)}"/>
    <summary>${escapeXml(describeEvent(event))}</summary>
  </entry>`;
}

function formatFeed(feed: Feed, events: readonly FeedEvent[]): string {
  const { id, title, self, page, network, origin } = feed;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:adaptor-marketplace:${network}:${escapeXml(id)}</id>
  <title>${escapeXml(title)}</title>
  <updated>${(events[0]?.timestamp ?? new Date(0)).toISOString()}</updated>
  <author><name>Adaptor marketplace</name></author>
  <link rel="self" type="application/atom+xml" href="${escapeXml(origin + self)}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(origin + page)}"/>${events.map((event) => formatEntry(event, feed)).join('')}
</feed>
`;
}

/** Sends events as an Atom feed, the newest first, under a tag of its bytes. */
export async function sendFeed(exchange: Exchange, feed: Feed, events: readonly FeedEvent[]): Promise<void> {
  const body = Buffer.from(formatFeed(feed, events));
  await sendContent(exchange, {
    body,
    contentType: 'application/atom+xml; charset=utf-8',
    cacheControl: 'public, no-cache',
    tag: computeDigest(body),
  });
}
