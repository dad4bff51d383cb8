import { z } from 'zod';
import type { NetworkSettings, ProviderAddress } from './networks.ts';

const items = (text: string) => text.split(',').map((item) => item.trim());

/** The setting: two or more origins, comma-separated. */
export const providerUrlsSetting = z.string().superRefine((text, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  const hosts = new Set<string>();
  for (const item of items(text)) {
    const url = parseOrigin(item);
    // The text may have a key in it.
    if (!url) {
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
  /** A single provider. */
  url: string | undefined;
  /** A text that `providerUrlsSetting` accepts. */
  urls: string | undefined;
  token: string | undefined;
}

/**
 * Returns the providers of a network; undefined if none is set. With several, the token is a list in the same order, so
 * that no provider receives the token of another one.
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
  const origins = items(urls).map((item) => new URL(item).origin);
  const tokens = token === undefined ? [] : items(token);
  if (tokens.length > origins.length) {
    throw new Error(`RPC_TOKEN has ${tokens.length} tokens for ${origins.length} urls.`);
  }
  const [first, ...others] = origins.map(
    (origin, index): ProviderAddress => ({ url: origin, token: tokens[index] || undefined }),
  );
  return { rpcUrl: first!.url, rpcToken: first!.token, otherProviders: others };
}
