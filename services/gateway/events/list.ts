import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { z } from 'zod';
import { beginning, type PlacedEvent, readRegistryEvents } from '../../../db/queries/registry-events.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import { formatPosition, parsePosition } from '../../../lib/webhooks/position.ts';
import type { ReadHost } from '../reads/read.ts';
import type { Handler } from '../server/rest.ts';
import { type eventBody, type eventsBody, eventsRequest } from './shapes.ts';

const limitDefault = 100;

/** `GET /api/adaptors/events`: what webhooks bring, for whoever rather asks. */
export function listEvents({ db, choose, watch }: ReadHost): Handler {
  return async (exchange) => {
    const request = parseQuery(eventsRequest, splitUrl(exchange.req.url ?? '').search);
    const { after, limit = limitDefault } = request;
    const network = choose(request.network);
    const checkpoint = watch.checkpoint(network, 'registry');
    if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
    const from = after === undefined ? beginning : parsePosition(after)!;
    const found = await readRegistryEvents(db, network, from, limit + 1);
    const shown = found.slice(0, limit).map((event) => viewOf(network, event));
    const cursors = shown.map(({ cursor }) => cursor);
    const { items: events, hasMore } = cutPage({ items: shown, cursors, hasMore: found.length > limit });
    const body: z.infer<typeof eventsBody> = {
      network,
      count: events.length,
      events,
      cursor: events.at(-1)?.cursor ?? after ?? null,
      hasMore,
    };
    await sendJson(exchange, body, 'public, no-cache');
  };
}

export function viewOf(
  network: Network,
  { event, data, timestampMs, id, place }: PlacedEvent,
): z.infer<typeof eventBody> {
  return { network, event, data, timestampMs, id, cursor: formatPosition(place) };
}
