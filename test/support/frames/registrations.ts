import { registryEvents } from '../../../lib/chain/events/registry.ts';
import { type GeneratedChain, registryPackageId } from './chain.ts';

/** An address or object id. */
export const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

/** A sound manifest of the package's adaptor. */
export const manifest = (packageId: string) => ({
  name: 'Swap',
  category: 'Swap',
  summary: 'Swaps.',
  serviceType: `${packageId}::adaptor::Adaptor`,
  packageId,
  ops: [],
});

export interface Registration {
  packageId: string;
  publisher?: string;
  uri: string;
  hash: string;
}

/** A chain that registers these, one transaction each. */
export function chainOf(registrations: Registration[]): GeneratedChain {
  const transactions = registrations.map(({ packageId, uri, hash, publisher = id(0xd4) }, index) => ({
    checkpoint: 10 + index,
    txIndex: 0,
    digest: `digest${index}`,
    timestampMs: Date.UTC(2026, 0, 1),
    sender: publisher,
    events: [
      {
        type: `${registryPackageId}::registry::Registered`,
        contents: registryEvents.encode('Registered', {
          serviceType: `${packageId}::adaptor::Adaptor`,
          packageId,
          publisher,
          manifestUri: uri,
          manifestHash: hash,
          version: 1,
          timestampMs: Date.UTC(2026, 0, 1),
        }),
      },
    ],
  }));
  return { chainId: 'chain', registryPackageId, publishedAt: 1, last: 9 + transactions.length, transactions };
}
