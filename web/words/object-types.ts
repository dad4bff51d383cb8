import type { ObjectTypes, Operation } from './operation.ts';

/** A function that operations call, with the types of its parameters in Move's syntax. */
interface CalledFunction {
  packageId: string;
  module: string;
  name: string;
  parameters: readonly string[] | null;
}

const nameMax = 80;

/** Module and name of an object's type, as the parameter that takes it shows: `&mut 0x2::pool::Pool<T0>` is `pool::Pool`. */
function nameType(parameter: string): string | undefined {
  const name = /^(?:&(?:mut )?)?0x[0-9a-f]+::(\w+::\w+)(?:<|$)/.exec(parameter)?.[1];
  return name !== undefined && name.length <= nameMax ? name : undefined;
}

/**
 * Returns the types of the objects that operations pass. The bytecode shows them: the chain refuses an object of another
 * type.
 * @param packageId package that a call names by default
 */
export function findObjectTypes(
  operations: readonly Operation[],
  packageId: string,
  functions: readonly CalledFunction[],
): ObjectTypes {
  const parameters = new Map(
    functions.map((one) => [`${one.packageId}::${one.module}::${one.name}`, one.parameters]),
  );
  const types = new Map<string, string>();
  for (const { call, calls, module, entry } of operations) {
    const steps = calls ?? (call ? [{ ...call, module, entry, packageId }] : []);
    for (const step of steps) {
      const taken = parameters.get(`${step.packageId ?? packageId}::${step.module}::${step.entry}`);
      for (const [at, { role, objectId }] of step.args.entries()) {
        const type = role === 'object' ? nameType(taken?.[at] ?? '') : undefined;
        if (objectId !== undefined && type !== undefined) types.set(objectId, type);
      }
    }
  }
  return types;
}
