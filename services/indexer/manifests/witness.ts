import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import {
  type PackageReader,
  readWitness,
  type WitnessCheck,
} from '@adaptor-marketplace/adaptor/chain/witness';
import { listedWitnessWarnings } from '@adaptor-marketplace/adaptor/introspect/listed-witness';
import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect/types';
import { contentOf } from '@adaptor-marketplace/adaptor/packages/node-source';
import type { GrpcTypes } from '@mysten/sui/grpc';

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
