import type { Exchange } from '../server/exchange.ts';
import type { Encoding } from './encoding.ts';
import {
  type Content,
  type Representation,
  represent,
  requireEncoding,
  sendRepresentation,
} from './representation.ts';

/**
 * Serves content that does not change while the process runs: loaded and encoded when first asked for, then
 * kept.
 */
export function kept(load: () => Content | Promise<Content>) {
  let content: Promise<Content> | undefined;
  const representations = new Map<Encoding, Promise<Representation>>();

  return async (exchange: Exchange): Promise<void> => {
    const encoding = requireEncoding(exchange.req);
    let representation = representations.get(encoding);
    if (!representation) {
      content ??= Promise.resolve(load());
      representation = content.then((loaded) => represent(loaded, encoding, 'quality'));
      representations.set(encoding, representation);
    }
    sendRepresentation(exchange, await representation);
  };
}
