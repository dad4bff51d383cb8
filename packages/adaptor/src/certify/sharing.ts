import { isSystemPackage } from '../packages/system.ts';
import type { Calls } from './code/calls.ts';
import { type CodeFunction, getHandle, type LinkedCode } from './code/program.ts';
import { datatypeName } from './flow/path.ts';

/** Finds the datatypes that code shares or freezes, from the instructions alone. */
export class Sharing {
  readonly #code: LinkedCode;
  readonly #calls: Calls;
  readonly #types = new Map<string, ReadonlySet<string>>();
  readonly #leadsToSharing: (fn: CodeFunction) => boolean;

  constructor(code: LinkedCode, calls: Calls) {
    this.#code = code;
    this.#calls = calls;
    this.#leadsToSharing = calls.leadingTo(isSharing);
  }

  /**
   * The datatypes that some function of a package shares or freezes, so that everyone can pass them. A type that a
   * generic function is called with counts if that function shares anything.
   */
  types(address: string): ReadonlySet<string> {
    const known = this.#types.get(address);
    if (known) return known;
    const calls = this.#code.functions(address).flatMap((fn) => this.#calls.list(fn));
    const found = new Set<string>();
    for (const { callee, typeArgs } of calls) {
      const types = typeArgs.filter((type) => type.kind === 'datatype');
      if (types.length === 0 || !this.#leadsToSharing(callee)) continue;
      for (const type of types) found.add(datatypeName(type));
    }
    this.#types.set(address, found);
    return found;
  }
}

function isSharing(fn: CodeFunction): boolean {
  const { module } = fn;
  const { name } = getHandle(fn);
  const isNamed = name === 'share_object_impl' || name === 'freeze_object_impl';
  return isNamed && module.name === 'transfer' && isSystemPackage(module.address);
}
