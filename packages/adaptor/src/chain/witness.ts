import { GrpcTypes } from '@mysten/sui/grpc';
import { ask, type UnknownAnswer, unavailable } from './answers.ts';
import { callOptions } from './call-options.ts';
import { normalizeAddress, parseServiceType, type ServiceType } from './names.ts';

type Package = GrpcTypes.Package;

/** The result of a check, and the package that it used, if the node has it. */
export interface WitnessResult {
  check: WitnessCheck;
  pkg?: Package;
}

/** The part of a `SuiGrpcClient` that reads packages. */
export interface PackageReader {
  movePackageService: {
    getPackage(
      request: GrpcTypes.GetPackageRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetPackageResponse }>;
  };
}

/** The result of a witness check. `reason` is a sentence. */
export type WitnessCheck = { status: 'valid' } | { status: 'invalid'; reason: string } | UnknownAnswer;

const timeoutMs = 10_000;

/**
 * Checks that a service type names a witness in the package: a struct without fields or type parameters, whose only
 * ability is `drop`. Only its module can make a value of such a type. The type's own package must have defined it first
 * (`definingId`, so an upgraded package answers for the types of its first version).
 */
export async function checkWitness(
  client: PackageReader,
  serviceType: string,
  packageId: string,
): Promise<WitnessCheck> {
  return (await readWitness(client, serviceType, packageId)).check;
}

/** Returns the result of `checkWitness`, and the package that its one call to the node read. */
export async function readWitness(
  client: PackageReader,
  serviceType: string,
  packageId: string,
): Promise<WitnessResult> {
  const invalid = (reason: string): WitnessCheck => ({ status: 'invalid', reason });
  const type = parseServiceType(serviceType);
  if ('error' in type) return { check: invalid(`The service type is malformed: ${type.error}.`) };
  const answer = await ask(client.movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
  if (answer.status === 'unavailable') return { check: unavailable(answer.reason) };
  if (answer.status === 'absent' || !answer.value.package) {
    return { check: invalid(`There is no package ${packageId}.`) };
  }
  const pkg = answer.value.package;
  const reason = findFlaw(type, pkg);
  return { check: reason === undefined ? { status: 'valid' } : invalid(reason), pkg };
}

function findFlaw(type: ServiceType, pkg: Package): string | undefined {
  const { module, witness } = type;
  const datatype = pkg.modules
    .find((candidate) => candidate.name === module)
    ?.datatypes.find((candidate) => candidate.name === witness);
  if (!datatype) return `The package has no type ${module}::${witness}.`;
  const { definingId } = datatype;
  if (normalizeAddress(definingId ?? '') !== type.packageId) {
    return `${module}::${witness} was defined by ${definingId ?? 'an unnamed package'}, not by ${type.packageId}.`;
  }
  if (datatype.kind !== GrpcTypes.DatatypeDescriptor_DatatypeKind.STRUCT) return 'A witness is a struct.';
  if (datatype.typeParameters.length > 0) return 'A witness has no type parameters.';
  if (!isFieldless(datatype)) return 'A witness has no fields.';
  const [ability, ...others] = datatype.abilities;
  if (ability !== GrpcTypes.Ability.DROP || others.length > 0) return "A witness's only ability is drop.";
  return undefined;
}

/**
 * Returns `true` for a struct without fields. The compiler gives it one `dummy_field: bool`, which the bytecode shows.
 */
function isFieldless({ fields }: GrpcTypes.DatatypeDescriptor): boolean {
  const [field, ...others] = fields;
  if (!field) return true;
  const isBool = field.type?.type === GrpcTypes.OpenSignatureBody_Type.BOOL;
  return others.length === 0 && field.name === 'dummy_field' && isBool;
}
