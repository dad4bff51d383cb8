import type { GrpcTypes } from '@mysten/sui/grpc';
import { listedWitnessWarnings } from '../../../lib/adaptor/introspect/listed-witness.ts';
import type { WitnessWarning } from '../../../lib/adaptor/introspect/types.ts';
import { contentOf } from '../../../lib/adaptor/packages/node-source.ts';
import { parseServiceType } from '../../../lib/chain/names.ts';
import { type PackageReader, readWitness, type WitnessCheck } from '../../../lib/chain/witness.ts';

export interface ListedWitness {
  check: WitnessCheck;
  /** What the package's bytecode warns of; undefined where the node did not show the package. */
  warnings: WitnessWarning[] | undefined;
  /** The package, where the node showed it. */
  pkg?: GrpcTypes.Package;
}

/** Whether a listing's witness is one, and who else can make a value of it, by one call to the node. */
export async function checkListedWitness(
  client: PackageReader,
  { type, packageId }: { type: string; packageId: string },
): Promise<ListedWitness> {
  const { check, pkg } = await readWitness(client, type, packageId);
  const named = parseServiceType(type);
  if (!pkg || 'error' in named) return { check, warnings: undefined };
  return { check, warnings: await listedWitnessWarnings(contentOf(packageId, pkg), named), pkg };
}
