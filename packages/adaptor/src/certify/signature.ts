import type { FunctionHandle } from '../introspect/code/module.ts';
import { hasAbility, type MoveType, referent } from '../introspect/code/move-type.ts';
import { isWallet } from '../introspect/roles.ts';
import type { Origin, Source, StatePath } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { type Assets, isMoney } from './flow/assets.ts';
import type { Atom } from './flow/atom.ts';
import type { AtomSet } from './flow/atom-set.ts';
import { type Path, typeText } from './flow/path.ts';
import { isClock, isContext, isRandom, type Location, locate } from './locate.ts';

/** The role of a parameter. `plain`: a value that the caller chooses. `object`: stored, and not the caller's money. */
type ParameterKind = 'wallet' | 'money' | 'ownedObject' | 'object' | 'plain' | 'context' | 'clock' | 'random';

type InitialAtom = Extract<Atom, { kind: 'initial' }>;

/** The certified function's parameters, and the words of claims for what comes from them. */
export class Signature {
  readonly code: LinkedCode;
  readonly assets: Assets;
  readonly handle: FunctionHandle;
  readonly #kinds: readonly ParameterKind[];
  /** Origins that were found before, under the keys of their atoms. */
  readonly #origins = new Map<string, Origin | undefined>();

  constructor(code: LinkedCode, assets: Assets, handle: FunctionHandle) {
    this.code = code;
    this.assets = assets;
    this.handle = handle;
    this.#kinds = handle.parameters.map((type) => this.#classify(type));
  }

  #classify(type: MoveType): ParameterKind {
    const held = referent(type);
    if (isContext(type)) return 'context';
    if (isClock(type)) return 'clock';
    if (isRandom(type)) return 'random';
    const isReference = type.kind === 'reference';
    if (isReference && isWallet(held)) return 'wallet';
    if (isReference && (isMoney(held) || held.kind === 'parameter')) return type.mutable ? 'money' : 'object';
    if (isReference && hasAbility(held, 'key', this.handle.constraints)) return 'object';
    if (isReference)
      return type.mutable && this.assets.mayHold(held, this.handle.constraints) ? 'money' : 'plain';
    return this.assets.mayHold(held, this.handle.constraints) ? 'ownedObject' : 'plain';
  }

  kind(parameter: number): ParameterKind {
    return this.#kinds[parameter] ?? 'plain';
  }

  type(parameter: number): MoveType {
    return this.handle.parameters[parameter]!;
  }

  locate({ parameter, path }: { parameter: number; path: Path }): Location {
    return locate(this.code, this.type(parameter), path);
  }

  /** Parameters with money or objects of the caller. */
  get owned(): number[] {
    return this.handle.parameters
      .map((_, i) => i)
      .filter((i) => ['wallet', 'money', 'ownedObject'].includes(this.kind(i)));
  }

  /** The origin that an atom stands for. Undefined for a calculation, whose origins are listed on their own. */
  origin(atom: Atom): Origin | undefined {
    if (!this.#origins.has(atom.key)) this.#origins.set(atom.key, this.#findOrigin(atom));
    return this.#origins.get(atom.key);
  }

  #findOrigin(atom: Atom): Origin | undefined {
    switch (atom.kind) {
      case 'initial':
        return this.#initialOrigin(atom);
      case 'constant':
        return { kind: 'constant', value: atom.value };
      case 'sender':
      case 'time':
      case 'transaction':
      case 'fresh':
      case 'type':
      case 'unread':
        return { kind: atom.kind };
      case 'made':
        return { kind: 'fresh' };
      case 'funds':
        return { kind: 'transaction' };
      case 'received':
        return { kind: 'unread' };
      case 'computed':
        return undefined;
    }
  }

  #initialOrigin(atom: InitialAtom): Origin {
    const { parameter, path } = atom;
    const [first] = path.steps;
    switch (this.kind(parameter)) {
      case 'context':
        return { kind: contextFields[first?.kind === 'field' ? first.name : ''] ?? 'transaction' };
      case 'clock':
        return { kind: 'time' };
      case 'random':
        return { kind: 'fresh' };
      case 'plain':
        return { kind: 'argument', parameter };
      default:
        if (isMoney(referent(this.type(parameter)))) return { kind: 'argument', parameter };
        if (/^\.id(\.id(\.bytes)?)?$/.test(path.text)) return { kind: 'objectId', parameter };
        return { kind: 'state', path: this.locate(atom).path };
    }
  }

  origins({ atoms }: AtomSet): Origin[] {
    return atoms.map((atom) => this.origin(atom)).filter((origin) => origin !== undefined);
  }

  /** The stored parts of parameters among the atoms, by their paths. */
  states({ atoms }: AtomSet): Map<StatePath, Location> {
    const found = new Map<StatePath, Location>();
    for (const atom of atoms) {
      if (atom.kind !== 'initial' || this.origin(atom)?.kind !== 'state') continue;
      const location = this.locate(atom);
      found.set(location.path, location);
    }
    return found;
  }

  /** The source of money or an object, with its type. Undefined for an atom that cannot be one. */
  source(atom: Atom): { source: Source; type: MoveType | undefined } | undefined {
    switch (atom.kind) {
      case 'initial': {
        const { path, type } = this.locate(atom);
        if (!this.assets.mayHold(type, this.handle.constraints)) return undefined;
        const { parameter } = atom;
        switch (this.kind(parameter)) {
          case 'wallet':
            return { source: { kind: 'wallet', parameter }, type };
          case 'money':
          case 'ownedObject':
          case 'plain':
            return { source: { kind: 'argument', parameter }, type };
          default:
            return { source: { kind: 'state', path }, type };
        }
      }
      case 'made':
      case 'received':
      case 'funds':
      case 'unread':
        return { source: { kind: atom.kind }, type: undefined };
      default:
        return undefined;
    }
  }
}

const contextFields: Readonly<Record<string, 'sender' | 'time'>> = {
  sender: 'sender',
  epoch_timestamp_ms: 'time',
};

/** Identifies an origin, or a source. Each has at most one detail. */
export const originKey = (origin: Origin | Source): string => Object.values(origin).join(' ');

/** Writes the type of money as that of a coin, whichever form it has. */
export function assetName(type: MoveType | undefined): string {
  if (type?.kind === 'datatype' && isMoney(type)) {
    return `${type.address}::coin::Coin<${type.args.map(typeText).join(', ')}>`;
  }
  return typeText(type);
}
