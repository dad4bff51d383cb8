import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `allowed`: in a range the host opened; `global`: a public unicast address; else the range's name. */
export type Reach = { reach: 'allowed' | 'global' } | { reach: 'forbidden'; range: string };

/** Judges one IP address. */
export type AddressRules = (address: string) => Reach;

/** The block that IANA gives out for global unicast; all else in IPv6 is special or unassigned (RFC 4291). */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Which addresses a stranger's url may lead to. An IPv4-mapped address is judged as the IPv4 address it
 * reaches; other forms that embed one (compatible, NAT64, 6to4, Teredo) are forbidden, since a translator on
 * the way could turn them into a private address.
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
