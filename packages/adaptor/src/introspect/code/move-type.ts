export type Ability = 'copy' | 'drop' | 'store' | 'key';

export type MoveType =
  | { kind: 'primitive'; name: string }
  | { kind: 'vector'; item: MoveType }
  | { kind: 'parameter'; index: number }
  | { kind: 'reference'; mutable: boolean; to: MoveType }
  | {
      kind: 'datatype';
      /** Original id of the package, from the bytecode. */
      address: string;
      module: string;
      name: string;
      args: readonly MoveType[];
      /** Declared abilities as bits. Those of an instance also depend on its arguments. */
      abilities: number;
      /** One item for each type parameter: `true` if it is phantom. */
      phantoms: readonly boolean[];
    };

export type Datatype = Extract<MoveType, { kind: 'datatype' }>;

const bits: Record<Ability, number> = { copy: 1, drop: 2, store: 4, key: 8 };
const allButKey = bits.copy | bits.drop | bits.store;

/** Names the abilities of a bit set in bytecode. */
export function abilityNames(set: number): Ability[] {
  return (Object.keys(bits) as Ability[]).filter((name) => (set & bits[name]) !== 0);
}

/**
 * Returns `true` if values of the type have the ability. `constraints` are the abilities of the type parameters in
 * scope, as bits.
 */
export function hasAbility(type: MoveType, ability: Ability, constraints: readonly number[]): boolean {
  return (computeAbilities(type, constraints) & bits[ability]) !== 0;
}

function computeAbilities(type: MoveType, constraints: readonly number[]): number {
  if (type.kind === 'parameter') return constraints[type.index] ?? 0;
  const { largest, parameters } = findAbilities(type);
  let inside = largest;
  for (const index of parameters) inside &= toOuter(constraints[index] ?? 0);
  return inside;
}

interface PossibleAbilities {
  /** Abilities if all type parameters have all. */
  largest: number;
  /** Type parameters whose values it holds: those that are not phantom. */
  parameters: ReadonlySet<number>;
}

/**
 * Abilities by type, for any constraints. Thousands of functions can share a signature of thousands of types and each
 * have other constraints, so each type is walked once.
 */
const possibleAbilities = new WeakMap<MoveType, PossibleAbilities>();

function findAbilities(type: MoveType): PossibleAbilities {
  let found = possibleAbilities.get(type);
  if (!found) {
    found = walkAbilities(type);
    possibleAbilities.set(type, found);
  }
  return found;
}

function walkAbilities(type: MoveType): PossibleAbilities {
  switch (type.kind) {
    case 'primitive':
      return { largest: type.name === 'signer' ? bits.drop : allButKey, parameters: new Set() };
    case 'reference':
      return { largest: bits.copy | bits.drop, parameters: new Set() };
    case 'vector': {
      const { largest, parameters } = findAbilities(type.item);
      return { largest: largest & allButKey, parameters };
    }
    case 'parameter':
      return { largest: bits.key | allButKey, parameters: new Set([type.index]) };
    case 'datatype': {
      const solid = type.args.filter((_, i) => !type.phantoms[i]).map(findAbilities);
      const largest = solid.reduce((all, arg) => all & toOuter(arg.largest), type.abilities);
      return { largest, parameters: new Set(solid.flatMap(({ parameters }) => [...parameters])) };
    }
  }
}

/** Abilities that a value with these allows the value around it. Values inside a value with `key` are stored, so they need `store`. */
const toOuter = (inside: number): number => (inside & allButKey) | (inside & bits.store ? bits.key : 0);

/** The type without its reference. */
export function referent(type: MoveType): MoveType {
  return type.kind === 'reference' ? type.to : type;
}

/** Returns `true` if the type is the framework's type of that name, such as `0x2::clock::Clock`. */
export function isSystemType(type: MoveType, path: string): boolean {
  if (type.kind !== 'datatype' || !path.endsWith(type.name)) return false;
  return `0x${BigInt(type.address).toString(16)}::${type.module}::${type.name}` === path;
}

/** The datatypes that a type names, also as arguments. */
export function listDatatypes(type: MoveType): Datatype[] {
  if (type.kind === 'vector') return listDatatypes(type.item);
  if (type.kind === 'reference') return listDatatypes(type.to);
  return type.kind === 'datatype' ? [type, ...type.args.flatMap(listDatatypes)] : [];
}

/** The coin type of a `Coin` or a `Balance`. */
export function findCoinType(type: MoveType): MoveType | undefined {
  const held = referent(type);
  const money = isSystemType(held, '0x2::coin::Coin') || isSystemType(held, '0x2::balance::Balance');
  return money && held.kind === 'datatype' ? held.args[0] : undefined;
}

/** Bound on the characters of a written type. A signature can contain types of tens of thousands of characters. */
const writtenMax = 2_048;

/**
 * Writes a type in Move's syntax, with full addresses and type parameters as `T0`, `T1`. Cuts it off with `…` if it is
 * too long.
 * @param definingId finds the id of the version that defined a datatype, from its original id
 */
export function writeType(type: MoveType, definingId: (type: Datatype) => string): string {
  let text = '';
  function write(inner: MoveType): void {
    if (text.length > writtenMax) return;
    if (inner.kind === 'primitive') text += inner.name;
    if (inner.kind === 'parameter') text += `T${inner.index}`;
    if (inner.kind === 'vector') list('vector', [inner.item]);
    if (inner.kind === 'reference') {
      text += inner.mutable ? '&mut ' : '&';
      write(inner.to);
    }
    if (inner.kind === 'datatype') list(`${definingId(inner)}::${inner.module}::${inner.name}`, inner.args);
  }
  function list(path: string, args: readonly MoveType[]): void {
    text += path;
    for (const [i, arg] of args.entries()) {
      text += i === 0 ? '<' : ', ';
      write(arg);
    }
    if (args.length > 0) text += '>';
  }
  write(type);
  return text.length > writtenMax ? `${text.slice(0, writtenMax)}…` : text;
}

/** Bound on the nodes of a type. Callers need no larger one, and nested calls can make types exponentially large. */
const nodesMax = 64;

/** Replaces the type's parameters. Returns undefined if one is unknown or the result is too large. */
export function substitute(
  type: MoveType | undefined,
  args: readonly (MoveType | undefined)[],
): MoveType | undefined {
  let nodes = 0;
  const replace = (inner: MoveType): MoveType | undefined => {
    if (++nodes > nodesMax) return undefined;
    switch (inner.kind) {
      case 'primitive':
        return inner;
      case 'parameter': {
        const arg = args[inner.index];
        if (arg) nodes += countNodes(arg);
        return nodes > nodesMax ? undefined : arg;
      }
      case 'vector': {
        const item = replace(inner.item);
        return item && { kind: 'vector', item };
      }
      case 'reference': {
        const to = replace(inner.to);
        return to && { ...inner, to };
      }
      case 'datatype': {
        const replaced = inner.args.map(replace);
        return replaced.every((arg) => arg !== undefined) ? { ...inner, args: replaced } : undefined;
      }
    }
  };
  return type && replace(type);
}

function countNodes(type: MoveType): number {
  switch (type.kind) {
    case 'vector':
      return 1 + countNodes(type.item);
    case 'reference':
      return 1 + countNodes(type.to);
    case 'datatype':
      return 1 + type.args.reduce((sum, arg) => sum + countNodes(arg), 0);
    default:
      return 1;
  }
}
