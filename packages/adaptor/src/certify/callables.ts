import type { FunctionHandle } from '../introspect/code/module.ts';
import type { Analysis } from './flow/analysis.ts';
import { bounds } from './flow/bounds.ts';
import { datatypeName } from './flow/path.ts';
import type { Summary } from './flow/summary.ts';
import { Signature } from './signature.ts';

/** A function that a transaction can call, with its effects. */
export interface CallableFunction {
  /** `0x<original id>::module::function`. */
  key: string;
  handle: FunctionHandle;
  signature: Signature;
  summary: Summary;
}

/** The functions of packages that transactions can call. */
export class Callables {
  readonly #analysis: Analysis;
  readonly #lists = new Map<string, readonly CallableFunction[] | undefined>();
  readonly #shared = new Map<string, ReadonlySet<string>>();

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
  }

  /** Returns undefined if the package was not read as a whole, or is too large. */
  list(address: string): readonly CallableFunction[] | undefined {
    if (!this.#lists.has(address))
      this.#lists.set(
        address,
        this.#read(address, ({ isEntry }) => isEntry),
      );
    return this.#lists.get(address);
  }

  #read(
    address: string,
    accepts: (fn: { isEntry: boolean }) => boolean,
  ): readonly CallableFunction[] | undefined {
    const { code, assets } = this.#analysis;
    if (!code.hasPackage(address) || !code.isWhole(address)) return undefined;
    const found: CallableFunction[] = [];
    for (const module of code.modules(address)) {
      for (const [
        index,
        { visibility, is_entry, function: handleIndex, code: body },
      ] of module.functions.entries()) {
        const isEntry = visibility === 'Public' || is_entry;
        if (!body || !accepts({ isEntry })) continue;
        if (found.length >= bounds.functions) return undefined;
        const handle = module.handle(handleIndex);
        const key = `${address}::${module.name}::${handle.name}`;
        const summary = this.#analysis.summarize({ key, module, index }, bounds.steps);
        found.push({ key, handle, signature: new Signature(code, assets, handle), summary });
      }
    }
    return found;
  }

  /** The datatypes that a package defines, with all of these abilities. */
  datatypes(address: string, abilities = 0): string[] {
    return this.#analysis.code.modules(address).flatMap(({ json, name }) => {
      const handles = [
        ...json.struct_defs.map(({ struct_handle }) => struct_handle),
        ...json.enum_defs.map(({ enum_handle }) => enum_handle),
      ];
      return handles
        .map((handle) => json.datatype_handles[handle]!)
        .filter((handle) => (handle.abilities & abilities) === abilities)
        .map((handle) => `${address}::${name}::${json.identifiers[handle.name]}`);
    });
  }

  /** The datatypes of a package that some function of it shares or freezes, so that everyone can pass them. */
  sharedTypes(address: string): ReadonlySet<string> {
    const known = this.#shared.get(address);
    if (known) return known;
    const shared = new Set<string>();
    for (const { summary } of this.#read(address, () => true) ?? []) {
      for (const { kind, type } of summary.flows) {
        const isPublic = kind === 'share' || kind === 'freeze';
        if (isPublic && type?.kind === 'datatype') shared.add(datatypeName(type));
      }
    }
    this.#shared.set(address, shared);
    return shared;
  }
}
