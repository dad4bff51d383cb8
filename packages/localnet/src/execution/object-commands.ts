import { ADDRESS, hasAbility, KEY, STORE, type Type, U64, vectorOf } from '../vm/types.ts';
import { objectIdOf, StructValue, type Value } from '../vm/values.ts';
import { makeVector } from '../vm/vectors.ts';
import { Arguments } from './arguments.ts';
import { argumentFailure, CommandFailure } from './failures.ts';
import { coinValue, isCoin } from './framework.ts';
import { typeArgument } from './move-call.ts';
import type { Program } from './program.ts';
import { type Slot, ValueSlot } from './slots.ts';
import type { Argument, Command } from './types.ts';

type Of<Kind extends Command['$kind']> = Extract<Command, { $kind: Kind }>;

const U64_MAX = (1n << 64n) - 1n;

/** Gives objects (all of them with `store`) to an address. */
export function transferObjects(
  program: Program,
  { objects, address }: Of<'TransferObjects'>['TransferObjects'],
): void {
  const args = new Arguments(program, { mayTakeGas: true });
  const slots = objects.map((argument, i) => {
    const slot = program.slot(argument, i);
    if (isObject(slot, KEY | STORE)) return slot;
    throw argumentFailure(i, 'InvalidTransferObject');
  });
  const to = program.slot(address, objects.length);
  const taken = slots.map((slot, i) => args.take(slot, i, undefined));
  const recipient = args.take(to, objects.length, ADDRESS).value as string;
  for (const { type, value } of taken) {
    program.session.objects.transfer(type, value, { kind: 'address', address: recipient });
  }
  finish(program, args, []);
}

function isObject(slot: Slot, abilities: number): boolean {
  return slot.kind === 'value' && hasAbility(slot.type, abilities);
}

/** Takes amounts out of a coin; each becomes a coin of its own. */
export function splitCoins(program: Program, { coin, amounts }: Of<'SplitCoins'>['SplitCoins']): void {
  const args = new Arguments(program, { mayTakeGas: false });
  const { type, balance } = borrowCoin(program, args, coin, 0);
  const wanted = amounts.map((argument, i) => {
    return args.take(program.slot(argument, i + 1), i + 1, U64).value as bigint;
  });
  args.checkBorrows();
  const results = wanted.map((amount) => {
    const left = balance.fields[0] as bigint;
    if (amount > left) throw new CommandFailure({ kind: 'InsufficientCoinBalance' });
    balance.fields[0] = left - amount;
    const id = program.session.context.freshId();
    program.session.objects.recordNew(id);
    return new ValueSlot(type, coinValue(id, amount));
  });
  finish(program, args, results);
}

/** Adds coins to another one of their type and deletes them. */
export function mergeCoins(program: Program, { destination, sources }: Of<'MergeCoins'>['MergeCoins']): void {
  const args = new Arguments(program, { mayTakeGas: false });
  const { type, balance } = borrowCoin(program, args, destination, 0);
  const taken = sources.map((argument, i) => args.take(program.slot(argument, i + 1), i + 1, type).value);
  args.checkBorrows();
  for (const [i, value] of taken.entries()) {
    const total = (balance.fields[0] as bigint) + (balanceOf(value, i + 1).fields[0] as bigint);
    if (total > U64_MAX) throw new CommandFailure({ kind: 'CoinBalanceOverflow' });
    balance.fields[0] = total;
    program.session.objects.recordDeleted(objectIdOf(value));
  }
  finish(program, args, []);
}

/** Makes a vector of values of one type; objects name their type themselves. */
export function makeMoveVec(
  program: Program,
  { type: name, elements }: Of<'MakeMoveVec'>['MakeMoveVec'],
): void {
  const args = new Arguments(program, { mayTakeGas: false });
  let type = name === null ? undefined : typeArgument(program, name, 0);
  const values: Value[] = [];
  for (const [i, argument] of elements.entries()) {
    const slot = program.slot(argument, i);
    // Without a name, the first element says the type.
    if (type === undefined && !isObject(slot, KEY)) {
      throw argumentFailure(i, 'InvalidMakeMoveVecNonObjectArgument');
    }
    const taken = args.take(slot, i, type);
    type = taken.type;
    values.push(taken.value);
  }
  if (type === undefined) {
    throw new CommandFailure({ kind: 'ArityMismatch', message: 'an empty MakeMoveVec needs a type' });
  }
  finish(program, args, [new ValueSlot(vectorOf(type), makeVector(type, values))]);
}

function borrowCoin(
  program: Program,
  args: Arguments,
  argument: Argument,
  index: number,
): { type: Type; balance: StructValue } {
  const slot = program.slot(argument, index);
  if (slot.kind !== 'value' || !isCoin(slot.type)) throw argumentFailure(index, 'TypeMismatch');
  const coin = args.borrow(argument, slot, index, slot.type, true);
  return { type: slot.type, balance: balanceOf(coin.read(), index) };
}

/** `Balance { value }` inside a coin. */
function balanceOf(coin: Value, index: number): StructValue {
  const balance = coin instanceof StructValue ? coin.fields[1] : undefined;
  if (!(balance instanceof StructValue)) throw argumentFailure(index, 'TypeMismatch');
  return balance;
}

function finish(program: Program, args: Arguments, results: ValueSlot[]): void {
  const clique = args.entangle();
  for (const slot of results) slot.clique.join(clique);
  program.addResults(results);
  program.outputs.add(results, args.mutated);
}
