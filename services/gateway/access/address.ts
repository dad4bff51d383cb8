import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Where a request comes from, as limits count it: an IPv4 address, or the /64 of an IPv6 one, which is what one
 * household or server is given. `X-Forwarded-For` is believed only for as many entries as there are proxies in
 * front of this host, each of which appends the address that it saw; the caller can write anything before them.
 */
export function callerAddress(req: IncomingMessage, proxies: number): string {
  const socket = req.socket.remoteAddress ?? '';
  if (proxies === 0) return addressGroup(socket) ?? unknown;
  const header = String(req.headers['x-forwarded-for'] ?? '');
  const seen = header === '' ? [] : header.split(',').slice(-proxies);
  // An entry that is no address is passed over for the next nearer one, down to the socket's own.
  for (const entry of seen) {
    const group = addressGroup(entry);
    if (group !== undefined) return group;
  }
  return addressGroup(socket) ?? unknown;
}

/** A socket that has gone away tells no address. */
const unknown = 'unknown';

/** The address as counted; undefined for what is none. Some proxies append the port. */
export function addressGroup(text: string): string | undefined {
  const bare = /^\s*(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+|(.*?))\s*$/.exec(text);
  const candidate = bare?.[1] ?? bare?.[2] ?? bare?.[3] ?? '';
  if (!ipaddr.IPv6.isValid(candidate) && !ipaddr.IPv4.isValidFourPartDecimal(candidate)) return undefined;
  const address = ipaddr.process(candidate);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(':')}::/64`;
}
