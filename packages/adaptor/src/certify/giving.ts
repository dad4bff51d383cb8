import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import {
  type Datatype,
  hasAbility,
  listDatatypes,
  type MoveType,
  referent,
} from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { Calls } from './code/calls.ts';
import { type CodeFunction, getHandle, type LinkedCode } from './code/program.ts';
import { datatypeName } from './flow/path.ts';
import { type ReadShape, shapes } from './flow/shapes.ts';
import { listTypeParameters } from './locate.ts';

/** Datatypes by name. Undefined: any. */
type Names = ReadonlySet<string> | undefined;

interface Given {
  names: Names;
  /**
   * One entry for each type parameter that is given out: the abilities that it requires of the type the caller chooses.
   */
  chosen: readonly number[];
}

/**
 * Finds the datatypes of which a function may give out values, from its signature and its calls. This costs far less
 * than the analysis of the function's effects, and finds at least the same datatypes.
 */
export class Giving {
  readonly #code: LinkedCode;
  readonly #calls: Calls;
  readonly #given = new Map<string, Given>();
  readonly #named = new Map<string, readonly string[]>();
  readonly #inside = new Map<string, Names>();
  readonly #leadsToSending: (fn: CodeFunction) => boolean;

  constructor(code: LinkedCode, calls: Calls) {
    this.#code = code;
    this.#calls = calls;
    this.#leadsToSending = calls.leadingTo(isSending);
  }

  mayGive(fn: CodeFunction, type: Datatype): boolean {
    const known = this.#given.get(fn.key) ?? this.#find(fn);
    this.#given.set(fn.key, known);
    const { names, chosen } = known;
    if (!names || names.has(datatypeName(type))) return true;
    return chosen.some((abilities) => (type.abilities & abilities) === abilities);
  }

  #find(fn: CodeFunction): Given {
    const { parameters, returns, constraints } = getHandle(fn);
    const lent = parameters.filter(
      (type) => type.kind === 'reference' && !isObject(fn, type.to, constraints),
    );
    const inside = this.#listInside(lent.flatMap(listDatatypes));
    const reached = [...this.#calls.reach(fn)].flatMap((each) => this.#listNamed(each));
    const names =
      inside && new Set([...inside, ...reached, ...returns.flatMap(listDatatypes).map(datatypeName)]);
    const sent = this.#calls
      .list(fn)
      .filter(({ callee, typeArgs }) => typeArgs.length > 0 && this.#leadsToSending(callee))
      .flatMap(({ typeArgs }) => typeArgs);
    const indices = new Set([...returns.map(referent), ...sent].flatMap(listTypeParameters));
    return { names, chosen: [...indices].map((index) => constraints[index] ?? 0) };
  }

  /** Lists the datatypes that a function makes itself, or passes to a generic function as type arguments. */
  #listNamed(fn: CodeFunction): readonly string[] {
    const known = this.#named.get(fn.key);
    if (known) return known;
    const { module, index } = fn;
    const made = (module.functions[index]!.code?.code ?? []).flatMap((instruction): Datatype[] => {
      const [name, operand] = instructionParts(instruction);
      const type = Object.hasOwn(packs, name) ? packs[name]!(module, Number(operand)).type : undefined;
      return type?.kind === 'datatype' ? [type] : [];
    });
    const named = this.#calls.list(fn).flatMap(({ typeArgs }) => typeArgs.flatMap(listDatatypes));
    const found = [...new Set([...made, ...named].map(datatypeName))];
    this.#named.set(fn.key, found);
    return found;
  }

  /** Lists datatypes with those in their fields. Returns undefined if the definition of one was not read. */
  #listInside(types: readonly Datatype[]): Names {
    const found = new Set<string>();
    for (const type of types) {
      const inside = this.#listInsideOne(type);
      if (!inside) return undefined;
      for (const name of inside) found.add(name);
    }
    return found;
  }

  #listInsideOne(type: Datatype): Names {
    const name = datatypeName(type);
    if (this.#inside.has(name)) return this.#inside.get(name);
    // Ends the recursion for a datatype that contains itself, which the verifier refuses.
    this.#inside.set(name, new Set([name]));
    const fields = this.#code.fields(type);
    const inner =
      fields && this.#listInside([...fields.values()].flatMap((field) => listDatatypes(field.type)));
    const found = inner && new Set([name, ...inner]);
    this.#inside.set(name, found);
    return found;
  }
}

const packs: Readonly<Record<string, ReadShape>> = {
  Pack: shapes.struct,
  PackGeneric: shapes.structInstance,
  PackVariant: shapes.variant,
  PackVariantGeneric: shapes.variantInstance,
};

/** Returns `true` for the type of an object of the function's own package. */
const isObject = ({ module }: CodeFunction, type: MoveType, constraints: readonly number[]): boolean =>
  type.kind === 'datatype' && type.address === module.address && hasAbility(type, 'key', constraints);

const isSending = ({ module }: CodeFunction): boolean =>
  isSystemPackage(module.address) && (module.name === 'transfer' || module.name === 'funds_accumulator');
