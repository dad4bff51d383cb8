import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import { isSystemPackage } from '../packages/system.ts';
import type { CodeFunction, LinkedCode } from './code/program.ts';
import { datatypeName } from './flow/path.ts';

/** Finds the datatypes that code shares or freezes, from the instructions alone. */
export class Sharing {
  readonly #code: LinkedCode;
  readonly #types = new Map<string, ReadonlySet<string>>();
  /** Functions by their keys: `true` if a call leads to sharing or freezing. */
  readonly #known = new Map<string, boolean>();

  constructor(code: LinkedCode) {
    this.#code = code;
  }

  /**
   * The datatypes that some function of a package shares or freezes, so that everyone can pass them. A value of a type
   * that a generic function was called with counts if that function shares anything.
   */
  types(address: string): ReadonlySet<string> {
    const known = this.#types.get(address);
    if (known) return known;
    const found = new Set<string>();
    for (const module of this.#code.modules(address)) {
      for (const [index, { function: handle }] of module.functions.entries()) {
        const key = `${address}::${module.name}::${module.handle(handle).name}`;
        for (const { callee, typeArgs } of this.#listCalls({ key, module, index })) {
          const types = typeArgs.filter((type) => type.kind === 'datatype').map(datatypeName);
          if (types.length > 0 && callee && this.#leadsToSharing(callee))
            for (const each of types) found.add(each);
        }
      }
    }
    this.#types.set(address, found);
    return found;
  }

  #leadsToSharing(start: CodeFunction): boolean {
    const known = this.#known.get(start.key);
    if (known !== undefined) return known;
    const reached = new Map([[start.key, start]]);
    let isSharing = false;
    for (const fn of reached.values()) {
      isSharing = this.#known.get(fn.key) ?? isSharingNative(fn);
      if (isSharing) break;
      if (this.#known.has(fn.key)) continue;
      for (const { callee } of this.#listCalls(fn)) if (callee) reached.set(callee.key, callee);
    }
    if (isSharing) this.#known.set(start.key, true);
    else for (const key of reached.keys()) this.#known.set(key, false);
    return isSharing;
  }

  #listCalls({ module, index }: CodeFunction) {
    return (module.functions[index]!.code?.code ?? []).flatMap((instruction) => {
      const [name, operand] = instructionParts(instruction);
      if (name !== 'Call' && name !== 'CallGeneric') return [];
      const { handle, typeArgs } = module.callee(name, Number(operand));
      return [{ callee: this.#code.find(handle), typeArgs }];
    });
  }
}

function isSharingNative({ module, index }: CodeFunction): boolean {
  const { name } = module.handle(module.functions[index]!.function);
  const isNamed = name === 'share_object_impl' || name === 'freeze_object_impl';
  return isNamed && module.name === 'transfer' && isSystemPackage(module.address);
}
