import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** The system's own files and services know these; no stranger's name server is asked for them. */
const localName = /^[^.]+$|\.(local|localhost|internal|lan|home\.arpa)$/;

/**
 * Resolves strangers' names by DNS alone. The system's way takes one of node's four threads for as long as a
 * stranger's name server keeps it waiting: a handful of names would hold up all others, and every read of a file.
 * @param servers of DNS, `address:port`; default: the system's
 */
export function dnsLookup(servers?: readonly string[]): LookupFunction {
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
