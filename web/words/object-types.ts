import type { KnownTypes, Operation } from './operation.ts';

/** A function that operations call, with the types of its parameters in Move's syntax. */
interface CalledFunction {
  packageId: string;
  module: string;
  name: string;
  parameters: readonly string[] | null;
}

/** Longest type that pages show. A page may have many, and strangers write them. */
const lengthMax = 300;

/** Returns the type of the object that a parameter takes: `&mut 0x2::pool::Pool<T0>` takes a `0x2::pool::Pool<T0>`. */
function readObjectType(parameter: string): string | undefined {
  const type = /^(?:&(?:mut )?)?(0x[0-9a-f]+::\w+::\w+(?:<.*>)?)$/.exec(parameter)?.[1];
  return type !== undefined && type.length <= lengthMax ? type : undefined;
}

/** An adaptor with the functions that its operations call. */
export interface TypedAdaptor {
  serviceType: string;
  /** Package that a call names by default. Types can have the id of an earlier version, as `serviceType` has. */
  packageId: string;
  manifest: { name: string };
  operations: readonly Operation[];
  certificate: { functions: readonly CalledFunction[] };
}

/** GraphQL fields of an adaptor from which its types are known. */
export const typeFields = 'packageId certificate { functions { packageId module name parameters } }';

/**
 * Returns the types of the objects that the operations of an adaptor pass. The bytecode shows them: the chain refuses an
 * object of another type.
 */
export function findKnownTypes({
  serviceType,
  packageId,
  manifest,
  operations,
  certificate: { functions },
}: TypedAdaptor): KnownTypes {
  const parameters = new Map(
    functions.map((one) => [`${one.packageId}::${one.module}::${one.name}`, one.parameters]),
  );
  const types = new Map<string, string>();
  for (const { call, calls, module, entry } of operations) {
    const steps = calls ?? (call ? [{ ...call, module, entry, packageId }] : []);
    for (const step of steps) {
      const taken = parameters.get(`${step.packageId ?? packageId}::${step.module}::${step.entry}`);
      for (const [at, { role, objectId }] of step.args.entries()) {
        const type = role === 'object' ? readObjectType(taken?.[at] ?? '') : undefined;
        if (objectId !== undefined && type !== undefined) types.set(objectId, type);
      }
    }
  }
  const ownPackages = [packageId, serviceType.slice(0, serviceType.indexOf('::'))];
  return { objects: types, packages: new Map(ownPackages.map((id) => [id, manifest.name])) };
}
