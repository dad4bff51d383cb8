import type { Registry } from '@prometheus-io/client';
import { digestOf, sendContent } from '../respond/representation.ts';
import type { Exchange } from '../server/exchange.ts';

/** `GET /metrics`, in Prometheus' text form. */
export function metrics(registry: Registry) {
  return async (exchange: Exchange): Promise<void> => {
    const body = Buffer.from(await registry.metrics());
    const contentType = registry.contentType;
    await sendContent(exchange, { body, contentType, cacheControl: 'no-store', tag: digestOf(body) });
  };
}
