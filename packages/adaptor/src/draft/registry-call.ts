import { z } from 'zod';
import type { Listing, RegistryIds } from '../calls/registry.ts';

const argument = z.object({
  name: z.string().meta({ description: "The contract's name of the parameter." }),
  kind: z.enum(['object', 'pure']),
  type: z.string().meta({ description: 'Move type, without its reference.' }),
  value: z.string().optional().meta({
    description: 'An object id, an address or a text; of vector<u8> 0x and hex. Absent: yours to fill in.',
  }),
});

/** An unsigned call of the registry. */
export const registryCall = z.object({
  target: z.string(),
  arguments: z.array(argument).meta({ description: "In the contract's order, without TxContext." }),
});

export type RegistryCall = z.infer<typeof registryCall>;
type Argument = z.infer<typeof argument>;

/** The listing to register. The uri is null until the manifest is stored. */
export type DraftedEntry = Omit<Listing, 'manifestUri'> & { manifestUri: string | null };

const text = '0x1::string::String';

/** The registry that is called, and the id of its package's first version, which its types carry at every version. */
export interface DescribedRegistry extends RegistryIds {
  originalId: string;
}

/** Describes `registry::register`, or `registry::update`, which takes the service type before the package. */
export function describeRegistryCall(
  name: 'register' | 'update',
  { packageId: registryPackage, originalId, objectId }: DescribedRegistry,
  { packageId, serviceType, manifestUri, manifestHash }: DraftedEntry,
): RegistryCall {
  const identity: Argument[] = [
    { name: 'package_id', kind: 'pure', type: 'address', value: packageId },
    { name: 'service_type', kind: 'pure', type: text, value: serviceType },
  ];
  return {
    target: `${registryPackage}::registry::${name}`,
    arguments: [
      { name: 'registry', kind: 'object', type: `${originalId}::registry::Registry`, value: objectId },
      ...(name === 'register' ? identity : identity.toReversed()),
      { name: 'manifest_uri', kind: 'pure', type: text, ...(manifestUri !== null && { value: manifestUri }) },
      { name: 'manifest_hash', kind: 'pure', type: 'vector<u8>', value: `0x${manifestHash}` },
      { name: 'clock', kind: 'object', type: '0x2::clock::Clock', value: '0x6' },
    ],
  };
}
