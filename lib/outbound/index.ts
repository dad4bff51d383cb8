import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createAddressRules } from './addresses.ts';
import { OutboundError } from './errors.ts';
import { type FetchOptions, fetchBytes } from './fetch-bytes.ts';
import { createGuardedAgent, refuseAddress } from './guard.ts';

export { OutboundError, type OutboundErrorKind } from './errors.ts';
export { type FetchOptions, fetchBytes } from './fetch-bytes.ts';

const urlLengthMax = 2048;

/** Fetches what strangers' urls name, without lending them the host's place in its network. */
export interface Outbound {
  /** @throws OutboundError, also for what `checkUrl` refuses. */
  fetchBytes(url: string, options: FetchOptions): Promise<Uint8Array>;
  /** Why a url would be refused without a connection being tried; what a name resolves to is judged later. */
  checkUrl(url: string): string | undefined;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Ranges in CIDR form that may be reached although they are not public, and over plain `http`, for development. */
  allowCidrs: readonly string[];
  /** How names are resolved; the system's way by default. */
  lookup?: LookupFunction;
}

export function createOutbound({ allowCidrs, lookup = systemLookup }: OutboundOptions): Outbound {
  const rules = createAddressRules(allowCidrs);
  const agent = createGuardedAgent({ rules, lookup });

  const judge = (text: string): URL | OutboundError => {
    const forbidden = (reason: string) => new OutboundError('forbidden_url', reason, { retryable: false });
    if (text.length > urlLengthMax) return forbidden(`The url is longer than ${urlLengthMax} characters.`);
    const url = URL.parse(text);
    if (!url) return forbidden('The url is malformed.');
    const { protocol, username, password } = url;
    if (protocol !== 'https:' && !(protocol === 'http:' && allowCidrs.length > 0)) {
      return forbidden('Only https urls are fetched.');
    }
    if (username || password) return forbidden('A url must not carry credentials.');
    // The URL parser has brought every spelling of an address (0x7f.1, 2130706433) into its one form.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return (isIP(host) === 0 ? undefined : refuseAddress(rules, protocol, host)) ?? url;
  };

  return {
    fetchBytes: async (text, options) => {
      const url = judge(text);
      if (url instanceof OutboundError) throw url;
      return fetchBytes(agent, url, options);
    },
    checkUrl: (text) => {
      const url = judge(text);
      return url instanceof OutboundError ? url.message : undefined;
    },
    close: () => agent.destroy(),
  };
}
