import { canonicalType, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { type CoinAmount, sumByCoin } from '@adaptor-marketplace/adaptor/transactions';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import type { ActionStep } from '../../../lib/actions/request.ts';
import { refusal } from '../../../lib/agent/run-failure.ts';
import type { CalledPackages } from '../chain/node.ts';

/** An argument of a call, resolved to the object, value or result that it refers to. */
export type CallArgument =
  | { kind: 'object'; objectId: string }
  /** Base64 of its BCS bytes. */
  | { kind: 'pure'; bytes: string }
  /** Result number `index` of the call at position `call` of the transaction. Both count from 0. */
  | { kind: 'result'; call: number; index: number };

export interface Call {
  /** `0x…::module::function`, the package in the long form. */
  target: string;
  /** Types in the form that `toFullType` returns. */
  typeArguments: string[];
  arguments: CallArgument[];
}

/** Maximum number of commands: more than any action or composition of actions needs. */
const callsMax = 128;

/**
 * Reads the calls of a transaction kind, and the ids of its input objects. It may contain nothing else: the chain also
 * locks unused inputs and charges for them. @throws RunFailedError `unexpected_transaction`
 */
export function parseCalls(transactionKind: string): { calls: Call[]; objectIds: string[] } {
  const { inputs, commands } = decode(transactionKind);
  if (commands.length === 0 || commands.length > callsMax)
    throw refusal(`it has ${commands.length} commands`);
  const calls = commands.map((command) => {
    if (command.$kind !== 'MoveCall') throw refusal(`a command is a ${command.$kind}, not a Move call`);
    const { package: packageId, module, function: name, typeArguments, arguments: args } = command.MoveCall;
    return {
      target: `${normalizeAddress(packageId)}::${module}::${name}`,
      typeArguments: typeArguments.map(toFullType),
      arguments: args.map((argument) => resolve(argument, inputs)),
    };
  });
  const used = new Set(
    commands.flatMap(({ MoveCall: call }) =>
      (call?.arguments ?? []).flatMap((one) => (one.$kind === 'Input' ? [one.Input] : [])),
    ),
  );
  if (inputs.some((_, index) => !used.has(index))) throw refusal('it has an input that no call uses');
  return { calls, objectIds: listObjectIds(calls) };
}

export function listObjectIds(calls: readonly Call[]): string[] {
  const passed = calls.flatMap((call) => call.arguments);
  return [...new Set(passed.flatMap((one) => (one.kind === 'object' ? [one.objectId] : [])))];
}

type Data = ReturnType<Transaction['getData']>;

function decode(transactionKind: string): Data {
  try {
    const bytes = fromBase64(transactionKind);
    // If the SDK read a kind past its end, or differently from the chain, the check would be useless.
    const canonical = bcs.TransactionKind.serialize(bcs.TransactionKind.parse(bytes)).toBase64();
    if (canonical !== transactionKind) throw new Error('not canonical');
    return Transaction.fromKind(bytes).getData();
  } catch {
    throw refusal('it is not a programmable transaction');
  }
}

function resolve(
  argument: Data['commands'][number] extends infer C ? ArgumentOf<C> : never,
  inputs: Data['inputs'],
): CallArgument {
  // The chain accepts `Result` only for a call that has one result.
  if (argument.$kind === 'Result') return { kind: 'result', call: argument.Result, index: 0 };
  if (argument.$kind === 'NestedResult') {
    const [call, index] = argument.NestedResult;
    return { kind: 'result', call, index };
  }
  if (argument.$kind !== 'Input') throw refusal(`an argument is ${argument.$kind}`);
  return toArgument(inputs[argument.Input]);
}

function toArgument(input: Data['inputs'][number] | undefined): Exclude<CallArgument, { kind: 'result' }> {
  if (input?.$kind === 'Pure') return { kind: 'pure', bytes: input.Pure.bytes };
  if (input?.$kind !== 'Object') throw refusal('an argument is not resolved');
  const object = input.Object;
  if (object.$kind === 'SharedObject')
    return { kind: 'object', objectId: toLongId(object.SharedObject.objectId) };
  if (object.$kind === 'ImmOrOwnedObject')
    return { kind: 'object', objectId: toLongId(object.ImmOrOwnedObject.objectId) };
  throw refusal('an argument is a receiving object');
}

type ArgumentOf<C> = C extends { MoveCall: { arguments: (infer A)[] } } ? A : never;

/** Returns any type in the form of a request's coin types: with long addresses and without spaces. */
export const toFullType = (type: string) => canonicalType(type) ?? type;

const toLongId = (id: string) => normalizeAddress(id) ?? id;

/** Base64 of a pure value's bytes. */
export const pureBytes = {
  u64: (value: bigint) => toBase64(bcs.u64().serialize(value).toBytes()),
  address: (value: string) => toBase64(bcs.Address.serialize(value).toBytes()),
};

/** Returns the u64 of a pure argument, or `undefined` if it is not one. */
export function parseU64(argument: CallArgument | undefined): bigint | undefined {
  if (argument?.kind !== 'pure') return undefined;
  const bytes = fromBase64(argument.bytes);
  return bytes.length === 8 ? BigInt(bcs.u64().parse(bytes)) : undefined;
}

type Spend = Extract<ActionStep, { action: 'spend' }>;

/** Packages and the wallet that the calls of a spend may name. */
interface SpendScope {
  walletId: string;
  packages: Pick<CalledPackages, 'wallet' | 'allowlist'>;
}

/**
 * Checks that a spend requests exactly this payment, has it stamped by one cap and by allowlists, and confirms it. Returns
 * the ids of the cap and of the allowlists. `first` is the position of the first call in the transaction.
 * @throws RunFailedError `unexpected_transaction`
 */
export function checkSpend(
  calls: readonly Call[],
  first: number,
  step: Spend,
  scope: SpendScope,
): { cap: string; lists: string[] } {
  const walletPackageId = scope.packages.wallet.newestId;
  const [begin, ...rest] = calls;
  const confirm = rest.pop();
  if (!begin || !confirm) throw refusal('a spend lacks begin_spend or confirm_spend');
  const isWallet = (argument: CallArgument | undefined) => isObject(argument, scope.walletId);
  const isRequest = (argument: CallArgument | undefined) => isResult(argument, first, 0);

  expectCall(begin, `${walletPackageId}::policy::begin_spend`, [step.coinType], 3);
  const [wallet, amount, recipient] = begin.arguments;
  if (!isWallet(wallet)) throw refusal('it spends from another wallet');
  if (!isPure(amount, pureBytes.u64(BigInt(step.amount)))) throw refusal('it spends another amount');
  if (!isPure(recipient, pureBytes.address(step.recipient))) throw refusal('it pays another recipient');

  const stamps = new Map([
    [`${walletPackageId}::cap_auth::prove`, 'cap'],
    [`${walletPackageId}::sub_delegate::spend`, 'cap'],
    [`${scope.packages.allowlist?.newestId}::rule::enforce`, 'caveat'],
  ]);
  const caps: string[] = [];
  const lists: string[] = [];
  for (const call of rest) {
    const kind = stamps.get(call.target);
    if (kind === undefined) throw refusal(`a spend does not call ${call.target}`);
    expectCall(call, call.target, [], 2);
    const [object, request] = call.arguments;
    if (object?.kind !== 'object' || !isRequest(request)) throw refusal('a stamp is for another request');
    (kind === 'cap' ? caps : lists).push(object.objectId);
  }
  // One cap suffices. A second one, if scoped, would lose budget for nothing.
  const [cap, another] = caps;
  if (cap === undefined || another !== undefined) throw refusal('it uses no cap or more than one');
  if (step.capId !== undefined && cap !== step.capId) throw refusal('it uses another cap');

  expectCall(confirm, `${walletPackageId}::policy::confirm_spend`, [step.coinType], 2);
  if (!isWallet(confirm.arguments[0]) || !isRequest(confirm.arguments[1])) {
    throw refusal('it confirms another request');
  }
  return { cap, lists };
}

function expectCall(call: Call, target: string, typeArguments: string[], argumentCount: number): void {
  if (call.target !== target) throw refusal(`it calls ${call.target} in place of ${target}`);
  if (call.typeArguments.join() !== typeArguments.join()) throw refusal(`${target} is for another coin`);
  if (call.arguments.length !== argumentCount) throw refusal(`${target} has other arguments`);
}

export const isObject = (argument: CallArgument | undefined, objectId: string | undefined) =>
  argument?.kind === 'object' && argument.objectId === objectId;
export const isResult = (argument: CallArgument | undefined, call: number, index: number) =>
  argument?.kind === 'result' && argument.call === call && argument.index === index;
const isPure = (argument: CallArgument | undefined, bytes: string) =>
  argument?.kind === 'pure' && argument.bytes === bytes;

/** The calls of a step within the wallet's lock, and the bounds of the lock. */
interface LockedCalls {
  service: string;
  takes: CoinAmount[];
  brings: CoinAmount[];
  /** Calls within the lock, and the position of the first one in the transaction. */
  inner: Call[];
  innerFirst: number;
}

/**
 * Parses a step's calls within the wallet's lock: `begin`, each bound once, the calls, `end`. All of the lock's calls use
 * this wallet and the ticket that `begin` returns.
 * @param first the position of the first call in the transaction, whose result is the ticket
 * @param walletPackageId the package whose functions are called
 * @throws RunFailedError `unexpected_transaction`
 */
export function parseLock(
  calls: readonly Call[],
  first: number,
  { walletId, walletPackageId }: { walletId: string; walletPackageId: string },
): LockedCalls {
  const target = (name: string) => `${walletPackageId}::action::${name}`;
  const isTicket = (argument: CallArgument | undefined) => isResult(argument, first, 0);
  const requireWallet = ({ arguments: [wallet], target: called }: Call) => {
    if (!isObject(wallet, walletId)) throw refusal(`${called} is for another wallet`);
  };
  const [begin, ...rest] = calls;
  const end = rest.pop();
  if (begin?.target !== target('begin') || end?.target !== target('end')) {
    throw refusal('its calls are not wrapped in the lock of the wallet');
  }
  const [service, ...more] = begin.typeArguments;
  requireWallet(begin);
  if (service === undefined || more.length > 0 || begin.arguments.length !== 1) {
    throw refusal(`${begin.target} has other arguments`);
  }
  requireWallet(end);
  if (end.typeArguments.length > 0 || end.arguments.length !== 2 || !isTicket(end.arguments[1])) {
    throw refusal(`${end.target} has other arguments`);
  }
  const bounds = { takes: [] as CoinAmount[], brings: [] as CoinAmount[] };
  const sides = new Map([
    [target('may_take'), bounds.takes],
    [target('must_bring'), bounds.brings],
  ]);
  let boundCount = 0;
  for (; boundCount < rest.length; boundCount += 1) {
    const call = rest[boundCount]!;
    const side = sides.get(call.target);
    if (!side) break;
    const [coinType, another] = call.typeArguments;
    const amount = parseU64(call.arguments[2]);
    requireWallet(call);
    const hasTicket = call.arguments.length === 3 && isTicket(call.arguments[1]);
    if (!hasTicket || coinType === undefined || another !== undefined || amount === undefined) {
      throw refusal(`${call.target} has other arguments`);
    }
    side.push({ coinType, amount });
  }
  return { service, ...bounds, inner: rest.slice(boundCount), innerFirst: first + 1 + boundCount };
}

/** Checks the stated bounds against the request's. @throws RunFailedError `unexpected_transaction` */
export function expectBounds(
  { service, takes, brings }: Omit<LockedCalls, 'inner' | 'innerFirst'>,
  expected: { service: string; takes: readonly CoinAmount[]; brings: readonly CoinAmount[] },
): void {
  if (service !== expected.service) throw refusal(`its lock names the service ${service}`);
  if (!haveSameAmounts(takes, expected.takes))
    throw refusal('its lock allows the service to take something else');
  if (!haveSameAmounts(brings, expected.brings))
    throw refusal('its lock requires something else from the service');
}

function haveSameAmounts(stated: readonly CoinAmount[], expected: readonly CoinAmount[]): boolean {
  const amounts = new Map(sumByCoin(expected).map(({ coinType, amount }) => [coinType, amount]));
  for (const { coinType, amount } of stated) {
    if (amounts.get(coinType) !== amount) return false;
    // Each coin may be stated once.
    amounts.delete(coinType);
  }
  return amounts.size === 0;
}
