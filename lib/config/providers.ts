import { z } from 'zod';
import type { NetworkSettings, ProviderAddress } from './networks.ts';

const splitList = (text: string) => text.split(',').map((item) => item.trim());

/** Schema of origins, comma-separated, each of another host. */
export const providerUrlsSetting = z.string().superRefine((text, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  const hosts = new Set<string>();
  for (const item of splitList(text)) {
    const url = parseOrigin(item);
    if (!url) {
      // The message leaves the text out, because it may contain a key.
      refuse('expected http(s)://host[:port] without user, path and query, comma-separated');
      continue;
    }
    if (hosts.has(url.host)) refuse(`${url.host} is named twice`);
    hosts.add(url.host);
  }
});

function parseOrigin(text: string): URL | undefined {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/';
  if (!isOrigin || [url.search, url.hash, url.username, url.password].some(Boolean)) return undefined;
  return url;
}

interface ProviderTexts {
  /** Url of a single provider. */
  url: string | undefined;
  /** A text that `providerUrlsSetting` accepts. */
  urls: string | undefined;
  token: string | undefined;
}

/**
 * Returns the providers of a network; undefined if none is set. With `urls`, the token is a list in the same order, so
 * that no provider receives the token of another.
 * @throws Error if the settings contradict each other; the message completes the name of a setting
 */
export function readProviders({
  url,
  urls,
  token,
}: ProviderTexts): Pick<NetworkSettings, 'rpcUrl' | 'rpcToken' | 'otherProviders'> | undefined {
  if (urls === undefined) return url === undefined ? undefined : { rpcUrl: url, rpcToken: token };
  if (url !== undefined)
    throw new Error('RPC_URL and RPC_URLS are both set: name all providers in RPC_URLS.');
  const origins = splitList(urls).map((item) => new URL(item).origin);
  const tokens = token === undefined ? [] : splitList(token);
  if (tokens.length > origins.length) {
    throw new Error(`RPC_TOKEN has ${tokens.length} tokens for ${origins.length} urls.`);
  }
  const [first, ...others] = origins.map(
    (origin, index): ProviderAddress => ({ url: origin, token: tokens[index] || undefined }),
  );
  return { rpcUrl: first!.url, rpcToken: first!.token, otherProviders: others };
}
