import { startTcpProxy } from './tcp-proxy.ts';

/**
 * Puts a round trip between this machine and a node: each byte arrives half of it later, and bandwidth has no bound.
 * @returns the url at this distance; without a distance, the node's own
 */
export async function moveAway(
  url: string,
  roundTripMs: number,
  stack: AsyncDisposableStack,
): Promise<string> {
  if (roundTripMs === 0) return url;
  const proxy = await startTcpProxy(url, roundTripMs);
  stack.defer(() => proxy.cut());
  return new URL(proxy.url).origin;
}
