import type { FieldJson } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule } from './code/module.ts';
import { type Datatype, hasAbility, type MoveType } from './code/move-type.ts';

/** A set of witnesses or of type parameters. Bit i stands for index i. */
export type BitSet = bigint;

interface HeldTypes {
  witnesses: BitSet;
  /** Type parameters whose values are held. */
  params: BitSet;
}

interface Definition {
  fields: readonly MoveType[];
  /** Undefined until `#settle` finds it. */
  held?: HeldTypes;
}

const nothing: HeldTypes = { witnesses: 0n, params: 0n };

/**
 * Finds the witnesses of a package that a value can hold, by its type. They can be the value itself, in the fields of
 * the package's own datatypes, or in type arguments of other packages' datatypes, which may have a field of each that
 * is not phantom (as `Option` has).
 */
export class HeldWitnesses {
  readonly #address: string | undefined;
  /** The package's own datatypes, by `module::Name`. */
  readonly #definitions = new Map<string, Definition>();
  readonly #targets: ReadonlyMap<string, number>;
  // Thousands of functions can share a signature of thousands of types, so each type is walked once.
  readonly #witnesses = new WeakMap<MoveType, BitSet>();
  readonly #exposed = new WeakMap<MoveType, BitSet>();

  /** @param targets the witnesses by `module::Name`, each with its bit */
  constructor(modules: readonly CodeModule[], targets: ReadonlyMap<string, number>) {
    this.#address = modules[0]?.address;
    this.#targets = targets;
    for (const module of modules) {
      const { struct_defs, enum_defs, datatype_handles } = module.json;
      const define = (handle: number, fields: readonly FieldJson[]) => {
        const key = `${module.name}::${module.identifier(datatype_handles[handle]!.name)}`;
        this.#definitions.set(key, { fields: fields.map(({ signature }) => module.type(signature)) });
      };
      for (const { struct_handle, field_information: information } of struct_defs) {
        define(struct_handle, information === 'Native' ? [] : information.Declared);
      }
      for (const { enum_handle, variants } of enum_defs) {
        define(
          enum_handle,
          variants.flatMap(({ fields }) => fields),
        );
      }
    }
  }

  /** Returns the witnesses that a value holds, also in structs that only this package can take apart. */
  witnessesIn(type: MoveType): BitSet {
    const known = this.#witnesses.get(type);
    if (known !== undefined) return known;
    this.#settle(type);
    const { witnesses } = this.#heldIn(type);
    this.#witnesses.set(type, witnesses);
    return witnesses;
  }

  /**
   * Returns the witnesses that any code can take out of a value that it borrows mutably. They are in no struct of this
   * package.
   */
  takeableFrom(type: MoveType): BitSet {
    if (type.kind === 'vector') return this.#exposedIn(type.item);
    if (type.kind !== 'datatype' || this.#own(type)) return 0n;
    return listSolidArgs(type).reduce((all, arg) => all | this.#exposedIn(arg), 0n);
  }

  /** Returns the witnesses that any code can copy out of a value that it borrows. */
  copyableFrom(type: MoveType, constraints: readonly number[], copyable: BitSet): BitSet {
    const whole = hasAbility(type, 'copy', constraints) ? this.witnessesIn(type) : 0n;
    return whole | (this.#exposedIn(type) & copyable);
  }

  #exposedIn(type: MoveType): BitSet {
    const known = this.#exposed.get(type);
    if (known !== undefined) return known;
    const exposed = this.#bit(type) | this.takeableFrom(type);
    this.#exposed.set(type, exposed);
    return exposed;
  }

  #bit(type: MoveType): BitSet {
    const target = type.kind === 'datatype' ? this.#targets.get(buildKey(type)) : undefined;
    return target !== undefined && this.#own(type as Datatype) ? 1n << BigInt(target) : 0n;
  }

  #own(type: Datatype): Definition | undefined {
    return type.address === this.#address ? this.#definitions.get(buildKey(type)) : undefined;
  }

  /** Reads the result from the definitions. Callers must call `#settle` before. */
  #heldIn(type: MoveType): HeldTypes {
    switch (type.kind) {
      case 'primitive':
        return nothing;
      case 'parameter':
        return { witnesses: 0n, params: 1n << BigInt(type.index) };
      case 'vector':
        return this.#heldIn(type.item);
      case 'reference':
        return this.#heldIn(type.to);
      case 'datatype': {
        const own = this.#own(type);
        // Unverified bytecode may have a struct in itself. A definition that is still being settled holds nothing yet.
        const inside = own?.held ?? nothing;
        const args = own
          ? type.args.filter((_, i) => (inside.params >> BigInt(i)) & 1n)
          : listSolidArgs(type);
        const witnesses = inside.witnesses | this.#bit(type);
        return args.map((arg) => this.#heldIn(arg)).reduce(union, { witnesses, params: 0n });
      }
    }
  }

  /**
   * Settles all definitions that the type names, each once. It does not recurse, because structs can nest by the
   * thousand.
   */
  #settle(type: MoveType): void {
    const path: { definition?: Definition; waiting: Definition[] }[] = [{ waiting: this.#named(type) }];
    const begun = new Set<Definition>();
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.waiting.pop();
      if (next && !begun.has(next)) {
        begun.add(next);
        path.push({ definition: next, waiting: next.fields.flatMap((field) => this.#named(field)) });
      } else if (!next) {
        path.pop();
        const { definition } = top;
        if (definition) {
          definition.held = definition.fields.map((field) => this.#heldIn(field)).reduce(union, nothing);
        }
      }
    }
  }

  /** Returns the package's own datatypes that a type names and that are not settled yet. */
  #named(type: MoveType): Definition[] {
    if (type.kind === 'vector') return this.#named(type.item);
    if (type.kind === 'reference') return this.#named(type.to);
    if (type.kind !== 'datatype') return [];
    const own = this.#own(type);
    return [...(own && !own.held ? [own] : []), ...type.args.flatMap((arg) => this.#named(arg))];
  }
}

const buildKey = ({ module, name }: Datatype) => `${module}::${name}`;

const listSolidArgs = ({ args, phantoms }: Datatype) => args.filter((_, i) => !phantoms[i]);

const union = (a: HeldTypes, b: HeldTypes): HeldTypes => ({
  witnesses: a.witnesses | b.witnesses,
  params: a.params | b.params,
});
