import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressRules } from './addresses.ts';
import { OutboundError } from './errors.ts';

export interface GuardOptions {
  rules: UrlRules;
  lookup: LookupFunction;
  /** Sockets to one stranger at a time; further requests wait within their own deadlines. Absent: any number. */
  connectionsPerHost?: number | undefined;
}

/** Where strangers' urls may lead. */
export interface UrlRules {
  addresses: AddressRules;
  /** Whether unencrypted `http` reaches public addresses too, or only ranges that the host opened. */
  plainHttp: boolean;
}

const connectTimeoutMs = 10_000;

/**
 * An HTTP agent for strangers' urls. Every connection is judged when it is made, on the very addresses it is
 * made to: a name that resolves to something else a moment later (DNS rebinding) gains nothing. One
 * forbidden address among several refuses the name.
 * Its connections fail with an `OutboundError` of kind `forbidden_address` or `forbidden_url`.
 */
export function createGuardedAgent({ rules, lookup, connectionsPerHost }: GuardOptions): Agent {
  const connectors = {
    'http:': createConnector('http:', rules, lookup),
    'https:': createConnector('https:', rules, lookup),
  };
  const connect: buildConnector.connector = (options, callback) => {
    const connector = options.protocol === 'https:' ? connectors['https:'] : connectors['http:'];
    connector(options, callback);
  };
  return new Agent({ connect, connections: connectionsPerHost ?? null, pipelining: 1 });
}

function createConnector(protocol: string, rules: UrlRules, lookup: LookupFunction) {
  const connector = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: guardLookup(protocol, rules, lookup),
  });
  const guarded: buildConnector.connector = (options, callback) => {
    // A host that already is an address is never looked up.
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const refusal = isIP(host) === 0 ? undefined : refuseAddress(rules, protocol, host);
    if (refusal) callback(refusal, null);
    else connector(options, callback);
  };
  return guarded;
}

function guardLookup(protocol: string, rules: UrlRules, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [];
      for (const { address } of addresses) {
        const refusal = refuseAddress(rules, protocol, address);
        if (refusal) return callback(refusal, []);
      }
      const [first] = addresses;
      if (!first) return callback(new Error('the name has no address'), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Why a connection to this address is refused. The address stays unsaid: it may be one of the host's own names. */
export function refuseAddress(
  { addresses, plainHttp }: UrlRules,
  protocol: string,
  address: string,
): OutboundError | undefined {
  const verdict = addresses(address);
  if (verdict.reach === 'forbidden') {
    const reason = `The url leads to an address that is not public (${verdict.range}).`;
    return new OutboundError('forbidden_address', reason, { retryable: false });
  }
  if (protocol !== 'https:' && !plainHttp && verdict.reach !== 'allowed') {
    return new OutboundError('forbidden_url', 'Only https urls are fetched.', { retryable: false });
  }
  return undefined;
}
