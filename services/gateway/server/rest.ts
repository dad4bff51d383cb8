import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Route as DescribedRoute, type Method, methods } from '../../../lib/http/route.ts';

/** Routes that are still described apart from their handlers. Each goes away when its folder has routes of its own. */
export type Handler = (exchange: Exchange, parameters: Record<string, string>) => Promise<void>;

export interface Route extends Partial<Record<Method, Handler>> {
  path: string;
  mediaType: string;
}

export function described({ path, mediaType, ...handlers }: Route): DescribedRoute<unknown>[] {
  return methods.flatMap((method) => {
    const handler = handlers[method];
    return handler ? [{ method, path, mediaType, answer: handler }] : [];
  });
}
