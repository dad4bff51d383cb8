import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { OutboundError } from './errors.ts';

/** `allowed`: opened by the operator. `global`: public unicast. Otherwise the name of the range. */
type AddressReach = { reach: 'allowed' | 'global' } | { reach: 'forbidden'; range: string };

type AddressRules = (address: string) => AddressReach;

/** The block that IANA gives out for global unicast; all else in IPv6 is special or unassigned (RFC 4291). */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Creates the rules for addresses that a stranger's url may lead to. An IPv4-mapped address is judged as the IPv4
 * address that it reaches. Other forms that embed one (compatible, NAT64, 6to4, Teredo) are forbidden, because a
 * translator on the way could turn them into a private address.
 */
export function createAddressRules(allowCidrs: readonly string[]): AddressRules {
  const allowed = allowCidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (text) => {
    if (isIP(text) === 0) return { reach: 'forbidden', range: 'not an address' };
    const address = ipaddr.process(text);
    if (allowed.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))) {
      return { reach: 'allowed' };
    }
    const range = address.range();
    if (range !== 'unicast') return { reach: 'forbidden', range };
    if (address instanceof ipaddr.IPv6 && !address.match(globalUnicastV6)) {
      return { reach: 'forbidden', range: 'not global unicast' };
    }
    return { reach: 'global' };
  };
}

/** Names that the system's own files and services resolve. A stranger's name server is never queried for them. */
const localName = /^[^.]+$|\.(local|localhost|internal|lan|home\.arpa)$/;

/**
 * Resolves strangers' names by DNS alone. The system's resolver occupies one of node's four threads until a stranger's
 * name server responds: a few slow names would block all other lookups, and every read of a file.
 * @param servers of DNS, `address:port`; default: the system's
 */
export function createDnsLookup(servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return (hostname, options, callback) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (localName.test(name)) return systemLookup(hostname, options, callback);
    void Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]).then((answers) => {
      const found = answers.flatMap((answer, at) =>
        answer.status === 'fulfilled'
          ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
          : [],
      );
      const [first] = found;
      const [refused] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      if (!first) callback(refused ?? new Error('the name has no address'), []);
      else if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

interface GuardOptions {
  rules: UrlRules;
  lookup: LookupFunction;
  /** Maximum sockets to one host at a time. Further requests wait within their own deadlines. Absent: no limit. */
  connectionsPerHost?: number | undefined;
}

interface UrlRules {
  addresses: AddressRules;
  /** `true` if unencrypted `http` may reach public addresses too, not only ranges that the operator opened. */
  plainHttp: boolean;
}

const connectTimeoutMs = 10_000;

/**
 * An HTTP agent for strangers' urls. It checks each connection on the addresses that it is made to, so DNS rebinding
 * gains nothing. One forbidden address among several refuses the name, with an `OutboundError`.
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

/** Returns the error of a forbidden connection. It does not contain the address, which may be an internal name's. */
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
