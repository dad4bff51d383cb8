import { VmError } from '../vm/errors.ts';
import { checkCompatible } from '../vm/loader/compatibility.ts';
import type { LoadedPackage } from '../vm/loader/package.ts';
import { CommandFailure } from './failures.ts';
import { type ModuleShape, moduleShape } from './module-shape.ts';

/** Policies of `sui::package`: any compatible change, only additions, only other dependencies. */
const policies = { compatible: 0, additive: 128, dependenciesOnly: 192 };

/**
 * Refuses a new version of a package that the policy does not allow, as the chain does.
 *
 * @throws CommandFailure PackageUpgradeError.
 */
export function checkPolicy(policy: number, before: LoadedPackage, after: LoadedPackage): void {
  switch (policy) {
    case policies.compatible:
      checkCompatibility(before, after);
      break;
    case policies.additive:
      checkInclusion(before, after, false);
      break;
    case policies.dependenciesOnly:
      if (before.content.modules.size !== after.content.modules.size) {
        throw incompatible('a package whose policy is dependencies only keeps its modules');
      }
      checkInclusion(before, after, true);
      break;
    default:
      throw new CommandFailure({
        kind: 'PackageUpgradeError',
        error: { kind: 'UnknownUpgradePolicy', policy },
        message: `upgrade policy ${policy} is unknown`,
      });
  }
}

function checkCompatibility(before: LoadedPackage, after: LoadedPackage): void {
  try {
    checkCompatible(before, after);
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    throw incompatible(error.message);
  }
}

/** Everything that was there must be there unchanged; `nothingNew`: and nothing else. */
function checkInclusion(before: LoadedPackage, after: LoadedPackage, nothingNew: boolean): void {
  for (const name of before.content.modules.keys()) {
    const next = after.module(name);
    if (next === undefined) throw incompatible(`module ${name} is missing`);
    checkIncluded(name, moduleShape(before.module(name)!.json), moduleShape(next.json), nothingNew);
  }
}

function checkIncluded(module: string, old: ModuleShape, next: ModuleShape, nothingNew: boolean): void {
  if (next.version < old.version) throw incompatible(`module ${module} has an older bytecode version`);
  const changed =
    missing(old.datatypes, next.datatypes) ??
    missing(old.functions, next.functions) ??
    [...old.friends].find((friend) => !next.friends.has(friend));
  if (changed !== undefined) throw incompatible(`${module}::${changed} is missing or has changed`);
  const sizes = (shape: ModuleShape) => [shape.datatypes.size, shape.functions.size, shape.friends.size];
  if (nothingNew && String(sizes(old)) !== String(sizes(next))) {
    throw incompatible(`module ${module} has something new`);
  }
}

/** The first name whose text is not the same in `next`. */
function missing(old: Map<string, string>, next: Map<string, string>): string | undefined {
  for (const [name, shape] of old) if (next.get(name) !== shape) return name;
  return undefined;
}

function incompatible(message: string): CommandFailure {
  return new CommandFailure({ kind: 'PackageUpgradeError', error: { kind: 'IncompatibleUpgrade' }, message });
}
