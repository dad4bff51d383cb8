import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundError } from './errors.ts';
import { type FetchOptions, fetchBytes } from './fetch-bytes.ts';
import { createAddressRules, createDnsLookup, createGuardedAgent, refuseAddress } from './guard.ts';
import { type SendOptions, type SentAnswer, sendBytes } from './send.ts';

const urlLengthMax = 2048;

/** HTTP client for strangers' urls. It does not give them access to the host's own network. */
export interface Outbound {
  /** @throws OutboundError, also for what `checkUrl` refuses. */
  fetchBytes(url: string, options: FetchOptions): Promise<Uint8Array>;
  postBytes(url: string, options: SendOptions): Promise<SentAnswer>;
  /** Returns the reason why a url is refused. It resolves no name: addresses are checked later. */
  checkUrl(url: string): string | undefined;
  /** Returns the same as `checkUrl`, or the reason why an address of the name is refused. An unresolved name is not. */
  checkResolved(url: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Ranges in CIDR form that may be reached although they are not public, and over plain `http`, for development. */
  allowCidrs: readonly string[];
  /** `true` if plain `http` may reach public addresses too. */
  plainHttp?: boolean;
  /** Maximum sockets to one host at a time. Default: two. `unbounded` if the caller limits its requests. */
  connectionsPerHost?: number | 'unbounded';
  /** Resolver of names. Default: the system's. */
  lookup?: LookupFunction;
}

const connectionsDefault = 2;
const resolveTimeoutMs = 5_000;

export function createOutbound({
  allowCidrs,
  plainHttp = false,
  connectionsPerHost = connectionsDefault,
  lookup = systemLookup,
}: OutboundOptions): Outbound {
  const rules = { addresses: createAddressRules(allowCidrs), plainHttp };
  const connections = connectionsPerHost === 'unbounded' ? undefined : connectionsPerHost;
  const agent = createGuardedAgent({ rules, lookup, connectionsPerHost: connections });

  const judge = (text: string): URL | OutboundError => {
    const forbidden = (reason: string) => new OutboundError('forbidden_url', reason, { retryable: false });
    if (text.length > urlLengthMax) return forbidden(`The url is longer than ${urlLengthMax} characters.`);
    const url = URL.parse(text);
    if (!url) return forbidden('The url is malformed.');
    const { protocol, username, password } = url;
    if (plainHttp && !/^https?:$/.test(protocol)) return forbidden('Only http and https urls are taken.');
    if (protocol !== 'https:' && !plainHttp && !(protocol === 'http:' && allowCidrs.length > 0)) {
      return forbidden('Only https urls are fetched.');
    }
    if (username || password) return forbidden('A url must not carry credentials.');
    // The URL parser has brought every spelling of an address (0x7f.1, 2130706433) into its one form.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return (isIP(host) === 0 ? undefined : refuseAddress(rules, protocol, host)) ?? url;
  };

  const allowed = (text: string): URL => {
    const url = judge(text);
    if (url instanceof OutboundError) throw url;
    return url;
  };

  /** The addresses of a name; empty if it has none. */
  const resolve = (name: string) =>
    new Promise<string[]>((found) => {
      const giveUp = setTimeout(() => found([]), resolveTimeoutMs);
      lookup(name, { all: true }, (error, answer) => {
        clearTimeout(giveUp);
        found(error || !Array.isArray(answer) ? [] : answer.map(({ address }) => address));
      });
    });

  return {
    fetchBytes: async (text, options) => fetchBytes(agent, allowed(text), options),
    postBytes: async (text, options) => sendBytes(agent, 'POST', allowed(text), options),
    checkUrl: (text) => {
      const url = judge(text);
      return url instanceof OutboundError ? url.message : undefined;
    },
    checkResolved: async (text) => {
      const url = judge(text);
      if (url instanceof OutboundError) return url.message;
      const refusals = (await resolve(url.hostname)).map((address) =>
        refuseAddress(rules, url.protocol, address),
      );
      return refusals.find((refusal) => refusal !== undefined)?.message;
    },
    close: () => agent.destroy(),
  };
}

/**
 * Creates the client for subscribers' urls: with the rules for strangers' urls, and over plain http too. The dispatcher
 * limits its requests by subscription, so that a slow subscription never holds the socket of another on the same host. Nor
 * does a slow name hold the thread in which the system resolves another.
 */
export function createWebhookOutbound(allowCidrs: readonly string[]): Outbound {
  const lookup = createDnsLookup();
  return createOutbound({ allowCidrs, plainHttp: true, connectionsPerHost: 'unbounded', lookup });
}
