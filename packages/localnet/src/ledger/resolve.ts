import type { bcs } from '@mysten/sui/bcs';
import { normalizeSuiAddress, toBase64 } from '@mysten/sui/utils';
import type { Argument, Command } from '../execution/types.ts';
import { argumentsOf } from '../execution/types.ts';
import { consensusStart } from '../state/objects.ts';
import { VmError } from '../vm/errors.ts';
import { isFrameworkType } from '../vm/framework.ts';
import type { PackageCache } from '../vm/loader/package.ts';
import type { Type } from '../vm/types.ts';
import type { MoveRecord, ReadLive } from './input-objects.ts';
import { LedgerError, type ObjectReference, type UnresolvedCoin, type UnresolvedInput } from './types.ts';

type CallArg = Parameters<typeof bcs.CallArg.serialize>[0];
type ObjectInput = Extract<UnresolvedInput, { kind: 'object' }>;

/** How one command takes an input. */
interface Use {
  mutable: boolean;
  receiving: boolean;
}

/**
 * Completes a draft's inputs: an object named by its id alone becomes an exact reference, a shared object or a
 * receiving one, by its owner and by how the called functions take it.
 *
 * @throws LedgerError NOT_FOUND for an object that does not exist.
 */
export function resolveInputs(
  inputs: readonly UnresolvedInput[],
  commands: readonly Command[],
  read: ReadLive,
  packages: PackageCache,
): CallArg[] {
  return inputs.map((input, index) => {
    if (input.kind === 'pure') return { Pure: { bytes: toBase64(input.bytes) } };
    if (input.kind === 'withdrawal') {
      return {
        FundsWithdrawal: {
          reservation: { MaxAmountU64: input.amount },
          typeArg: { Balance: input.coinType },
          withdrawFrom: input.from === 'sponsor' ? { Sponsor: true } : { Sender: true },
        },
      };
    }
    return { Object: resolveObject(input, () => usesOf(index, commands, read, packages), read) };
  });
}

/** Completes gas coins that are named by their id alone. @throws LedgerError NOT_FOUND for one that does not exist */
export function resolvePayment(coins: readonly UnresolvedCoin[], read: ReadLive): ObjectReference[] {
  return coins.map(
    (coin) => exactReference(coin) ?? completeReference(coin, liveObject(coin.objectId, read)),
  );
}

function resolveObject(input: ObjectInput, uses: () => Use[], read: ReadLive) {
  const named = exactReference(input);
  // It may have been deleted: a simulation without checks takes it at that version.
  if (named && input.usage === 'owned') return { ImmOrOwnedObject: named };
  const record = liveObject(input.objectId, read);
  const start = consensusStart(record.owner);
  const usage = input.usage ?? (start === undefined ? undefined : 'shared');
  if (usage === 'shared') {
    return {
      SharedObject: {
        objectId: record.id,
        initialSharedVersion: input.version ?? start ?? record.version,
        mutable: input.mutable ?? uses().some(({ mutable }) => mutable),
      },
    };
  }
  const receiving = usage === 'receiving' || (usage === undefined && uses().some((use) => use.receiving));
  const exact = completeReference(input, record);
  return receiving ? { Receiving: exact } : { ImmOrOwnedObject: exact };
}

function completeReference({ version, digest }: UnresolvedCoin, record: MoveRecord): ObjectReference {
  return { objectId: record.id, version: version ?? record.version, digest: digest ?? record.digest };
}

function exactReference({ objectId, version, digest }: UnresolvedCoin): ObjectReference | undefined {
  if (version === undefined || digest === undefined) return undefined;
  return { objectId: normalizeSuiAddress(objectId), version, digest };
}

function liveObject(id: string, read: ReadLive): MoveRecord {
  const record = read(normalizeSuiAddress(id));
  if (record === undefined) throw new LedgerError('NOT_FOUND', 'ObjectNotFound', `Object ${id} not found`);
  if (record.kind === 'package') {
    throw new LedgerError(
      'INVALID_ARGUMENT',
      'MovePackageAsObject',
      `Object ${id} is a package, not an object`,
    );
  }
  return record;
}

function usesOf(input: number, commands: readonly Command[], read: ReadLive, packages: PackageCache): Use[] {
  return commands.flatMap((command) => {
    if (command.$kind !== 'MoveCall') {
      const used = argumentsOf(command).some((argument) => isInput(argument, input));
      return used ? [{ mutable: true, receiving: false }] : [];
    }
    const positions = [...command.MoveCall.arguments.entries()].filter(([, argument]) =>
      isInput(argument, input),
    );
    if (positions.length === 0) return [];
    const parameters = parametersOf(command.MoveCall, read, packages);
    return positions.map(([position]) => useAs(parameters?.[position]));
  });
}

function isInput(argument: Argument, input: number): boolean {
  return argument.$kind === 'Input' && argument.Input === input;
}

/** Absent when there is no such function: the execution will say so. */
function parametersOf(
  call: Extract<Command, { $kind: 'MoveCall' }>['MoveCall'],
  read: ReadLive,
  packages: PackageCache,
): Type[] | undefined {
  try {
    const loaded = packages.load(normalizeSuiAddress(call.package), read);
    return loaded.module(call.module)?.function(call.function)?.parameters;
  } catch (error) {
    if (error instanceof VmError) return undefined;
    throw error;
  }
}

/** An unknown parameter may do anything. */
function useAs(parameter: Type | undefined): Use {
  if (parameter?.kind === 'reference')
    return {
      mutable: parameter.mutable,
      receiving: isFrameworkType(parameter.to, 'sui', 'transfer', 'Receiving'),
    };
  return { mutable: true, receiving: isFrameworkType(parameter, 'sui', 'transfer', 'Receiving') };
}
