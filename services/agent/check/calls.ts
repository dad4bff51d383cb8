import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { canonicalType } from '@adaptor-marketplace/adaptor/move-types';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { refusal } from '../failure.ts';

/** An argument of a call, with what it stands for resolved. */
export type CallArgument =
  | { kind: 'object'; objectId: string }
  /** Base64 of its BCS bytes. */
  | { kind: 'pure'; bytes: string }
  /** What the call at that place of the transaction answered. */
  | { kind: 'result'; call: number };

export interface Call {
  /** `0x…::module::function`, the package in the long form. */
  target: string;
  /** As `typeInFull` has them. */
  typeArguments: string[];
  arguments: CallArgument[];
}

/** More commands than any action or composition of them needs. */
const callsMax = 128;

/**
 * The calls of a transaction kind, which must hold nothing else, and the ids of all objects that it takes in, each by
 * a call: the chain locks those that no call uses as well, and charges for them.
 * @throws RunFailure `unexpected_transaction`
 */
export function callsOf(transactionKind: string): { calls: Call[]; objectIds: string[] } {
  const { inputs, commands } = decode(transactionKind);
  if (commands.length === 0 || commands.length > callsMax)
    throw refusal(`it has ${commands.length} commands`);
  const calls = commands.map((command) => {
    if (command.$kind !== 'MoveCall') throw refusal(`a command is ${command.$kind}, no call`);
    const { package: packageId, module, function: name, typeArguments, arguments: args } = command.MoveCall;
    return {
      target: `${normalizeAddress(packageId)}::${module}::${name}`,
      typeArguments: typeArguments.map(typeInFull),
      arguments: args.map((argument) => resolve(argument, inputs)),
    };
  });
  const used = new Set(
    commands.flatMap(({ MoveCall: call }) =>
      (call?.arguments ?? []).flatMap((one) => (one.$kind === 'Input' ? [one.Input] : [])),
    ),
  );
  if (inputs.some((_, place) => !used.has(place))) throw refusal('it takes in what no call uses');
  return { calls, objectIds: objectIdsOf(calls) };
}

/** Ids of the objects that calls take in, each once. */
export function objectIdsOf(calls: readonly Call[]): string[] {
  const given = calls.flatMap((call) => call.arguments);
  return [...new Set(given.flatMap((one) => (one.kind === 'object' ? [one.objectId] : [])))];
}

type Data = ReturnType<Transaction['getData']>;

function decode(transactionKind: string): Data {
  try {
    const bytes = fromBase64(transactionKind);
    // A kind that the SDK reads past its end, or in another way than the chain, would be checked in vain.
    const canonical = bcs.TransactionKind.serialize(bcs.TransactionKind.parse(bytes)).toBase64();
    if (canonical !== transactionKind) throw new Error('not canonical');
    return Transaction.fromKind(bytes).getData();
  } catch {
    throw refusal('it is no programmable transaction');
  }
}

function resolve(
  argument: Data['commands'][number] extends infer C ? ArgumentOf<C> : never,
  inputs: Data['inputs'],
): CallArgument {
  if (argument.$kind === 'Result') return { kind: 'result', call: argument.Result };
  if (argument.$kind !== 'Input') throw refusal(`an argument is ${argument.$kind}`);
  return inputOf(inputs[argument.Input]);
}

function inputOf(input: Data['inputs'][number] | undefined): Exclude<CallArgument, { kind: 'result' }> {
  if (input?.$kind === 'Pure') return { kind: 'pure', bytes: input.Pure.bytes };
  if (input?.$kind !== 'Object') throw refusal('an argument is not resolved');
  const object = input.Object;
  if (object.$kind === 'SharedObject')
    return { kind: 'object', objectId: long(object.SharedObject.objectId) };
  if (object.$kind === 'ImmOrOwnedObject')
    return { kind: 'object', objectId: long(object.ImmOrOwnedObject.objectId) };
  throw refusal('an argument is an object to be received');
}

type ArgumentOf<C> = C extends { MoveCall: { arguments: (infer A)[] } } ? A : never;

/** A type, primitive ones too, as requests have their coins: with long addresses and without space. */
export const typeInFull = (type: string) => canonicalType(type)?.replaceAll(' ', '') ?? type;

const long = (id: string) => normalizeAddress(id) ?? id;

/** Base64 of a pure value's bytes. */
export const pureBytes = {
  u64: (value: bigint) => toBase64(bcs.u64().serialize(value).toBytes()),
  address: (value: string) => toBase64(bcs.Address.serialize(value).toBytes()),
};

/** The u64 in a pure argument; undefined for what is none. */
export function u64Of(argument: CallArgument | undefined): bigint | undefined {
  if (argument?.kind !== 'pure') return undefined;
  const bytes = fromBase64(argument.bytes);
  return bytes.length === 8 ? BigInt(bcs.u64().parse(bytes)) : undefined;
}
