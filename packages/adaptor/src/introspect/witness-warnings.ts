import { isSystemPackage } from '../packages/system.ts';
import type { CodeModule, FunctionHandle } from './code/module.ts';
import type { Ability, MoveType } from './code/move-type.ts';
import { isCallable, visibilities } from './executable.ts';
import { type BitSet, HeldWitnesses } from './holding.ts';
import type { WitnessWarning } from './types.ts';

/** A struct that names a service, as its module defines it. */
export interface WitnessStruct {
  /** Original id of the package. */
  address: string;
  module: string;
  name: string;
  abilities: readonly Ability[];
  isGeneric: boolean;
}

/**
 * Finds the problems of each witness of a package. A service proves itself to a wallet only by a value of its witness,
 * so any code that gets a value acts as the service in every wallet that granted it.
 * @param modules all modules of the package: any of them may have the function that gives a value away
 */
export async function findWitnessWarnings(
  modules: readonly CodeModule[],
  witnesses: readonly WitnessStruct[],
  pause: () => Promise<void>,
): Promise<WitnessWarning[][]> {
  const givers = await findGivers(modules, witnesses, pause);
  return witnesses.map((witness, i) => [
    ...checkUsable(witness),
    ...checkAbilities(witness),
    ...checkGivers(witness, givers[i]!),
  ]);
}

/** Callable functions that give other code a value of a witness. */
interface WitnessSources {
  count: number;
  /** The first few, as `module::function`. */
  shown: string[];
}

const shownMax = 3;

async function findGivers(
  modules: readonly CodeModule[],
  witnesses: readonly WitnessStruct[],
  pause: () => Promise<void>,
): Promise<WitnessSources[]> {
  const givers = witnesses.map((): WitnessSources => ({ count: 0, shown: [] }));
  const holding = new HeldWitnesses(
    modules,
    new Map(witnesses.map(({ module, name }, i) => [`${module}::${name}`, i])),
  );
  const copyable = witnesses.reduce(
    (all, { abilities }, i) => (abilities.includes('copy') ? all | (1n << BigInt(i)) : all),
    0n,
  );
  for (const module of modules) {
    // Caches results, since any number of functions may have the same signature.
    const known = new Map<string, BitSet>();
    for (const { function: index, visibility, is_entry } of module.functions) {
      if (!isCallable({ visibility: visibilities[visibility], isEntry: is_entry })) continue;
      const { parameters, return_ } = module.json.function_handles[index]!;
      const handle = module.handle(index);
      const signature = `${parameters} ${return_} ${handle.constraints.join()}`;
      const given = known.get(signature) ?? findGiven(handle, holding, copyable);
      known.set(signature, given);
      for (const [i, giver] of given === 0n ? [] : givers.entries()) {
        if (((given >> BigInt(i)) & 1n) === 0n) continue;
        if (++giver.count <= shownMax) giver.shown.push(`${module.name}::${handle.name}`);
      }
      await pause();
    }
  }
  return givers;
}

/**
 * Returns the witnesses that a function gives away by its signature: in its results, or in a container that its caller
 * lends.
 */
function findGiven(
  { parameters, returns, constraints }: FunctionHandle,
  holding: HeldWitnesses,
  copyable: BitSet,
): BitSet {
  const givenIn = (type: MoveType): BitSet => {
    if (type.kind !== 'reference') return holding.witnessesIn(type);
    const copied = holding.copyableFrom(type.to, constraints, copyable);
    return type.mutable ? copied | holding.takeableFrom(type.to) : copied;
  };
  const filled = (type: MoveType): BitSet =>
    type.kind === 'reference' && type.mutable ? holding.takeableFrom(type.to) : 0n;
  const all = [...returns.map(givenIn), ...parameters.map(filled)];
  return all.reduce((sum, bits) => sum | bits, 0n);
}

function checkGivers({ name }: WitnessStruct, { count, shown }: WitnessSources): WitnessWarning[] {
  if (count === 0) return [];
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  const detail =
    `Anyone can get a value of ${name} from ${shown.join(', ')}${more}, and with it act as the service in every ` +
    'wallet that granted it: make the value where you use it, and never return it.';
  return [{ code: 'witness_returned', detail }];
}

function checkAbilities({ name, abilities }: WitnessStruct): WitnessWarning[] {
  const more = abilities.filter((ability) => ability !== 'drop');
  if (more.length === 0) return [];
  const detail =
    `${name} has ${more.join(', ')} beside drop, so a value of it can outlive the call that made it: declare it with ` +
    'drop alone, in a new package, since an upgrade cannot take an ability away.';
  return [{ code: 'witness_has_more_than_drop', detail }];
}

function checkUsable({ name, address, isGeneric }: WitnessStruct): WitnessWarning[] {
  const why = isGeneric
    ? 'has type parameters'
    : isSystemPackage(address)
      ? 'is a type of the framework'
      : undefined;
  if (why === undefined) return [];
  const detail = `${name} ${why}, and wallets refuse to grant to such a type: name the service by a plain struct of your own.`;
  return [{ code: 'witness_not_usable', detail }];
}
