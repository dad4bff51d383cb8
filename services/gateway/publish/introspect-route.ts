import { z } from 'zod';
import { addressParameter, networkParameter } from '../request/parameters.ts';
import type { PublishHost } from './host.ts';
import { publishRoute } from './route.ts';

/** Body of `POST /api/adaptors/introspect`. */
export const introspectRequest = z.object({ packageId: addressParameter, network: networkParameter });

/** `POST /api/adaptors/introspect`: what a deployed package offers. */
export function introspectPackage(host: PublishHost) {
  return publishRoute(host, {
    body: introspectRequest,
    answer: ({ request: { packageId }, chain, signal }) => chain.introspect(packageId, signal),
  });
}
