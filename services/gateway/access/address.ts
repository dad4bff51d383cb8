import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Where a request comes from, as limits count it: an IPv4 address, or the /64 of an IPv6 one, which is what one
 * household or server is given. `X-Forwarded-For` is believed only for as many entries as there are proxies in
 * front of this host, each of which appends the address that it saw; the caller can write anything before them.
 */
export function callerAddress(req: IncomingMessage, proxies: number): string {
  const address = senderOf(req, proxies);
  return address === undefined ? unknown : groupOf(address);
}

/** Whether a request comes from one of these ranges, by the same rules. */
export function sentFrom(cidrs: readonly string[], proxies: number): (req: IncomingMessage) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (req) => {
    const address = ranges.length > 0 ? senderOf(req, proxies) : undefined;
    if (address === undefined) return false;
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function senderOf(req: IncomingMessage, proxies: number): Address | undefined {
  const header = proxies === 0 ? '' : String(req.headers['x-forwarded-for'] ?? '');
  const seen = header === '' ? [] : header.split(',').slice(-proxies);
  // An entry that is not an address is passed over for the next nearer one, down to the socket's own.
  for (const entry of [...seen, req.socket.remoteAddress ?? '']) {
    const address = parseAddress(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** A socket that has gone away tells no address. */
const unknown = 'unknown';

/** The address as counted; undefined for what is none. */
export function addressGroup(text: string): string | undefined {
  const address = parseAddress(text);
  return address && groupOf(address);
}

/** Undefined for what is not an address. Some proxies append the port. */
function parseAddress(text: string): Address | undefined {
  const bare = /^\s*(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+|(.*?))\s*$/.exec(text);
  const candidate = bare?.[1] ?? bare?.[2] ?? bare?.[3] ?? '';
  if (!ipaddr.IPv6.isValid(candidate) && !ipaddr.IPv4.isValidFourPartDecimal(candidate)) return undefined;
  return ipaddr.process(candidate);
}

function groupOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}
