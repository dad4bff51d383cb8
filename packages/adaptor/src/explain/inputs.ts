import { fromBase64 } from '@mysten/sui/utils';
import { canonicalType } from '../move-types.ts';
import type { Holder, NotReadClaim } from './explanation.ts';
import type { ExplainFacts, ObjectFact } from './facts.ts';
import { isCoin, isWalletType, type Origin, type Value } from './origin.ts';
import { type Input, inputId, type ParsedTransaction } from './parse.ts';

const framework = `0x${'2'.padStart(64, '0')}`;
const sui = `${framework}::sui::SUI`;

/** The values that a transaction begins with. */
export interface StartingValues {
  inputs: Value[];
  gas: Value;
  notRead: NotReadClaim[];
}

/** Makes the values of the inputs and of the gas coin. */
export function makeStartingValues(transaction: ParsedTransaction, facts: ExplainFacts): StartingValues {
  const notRead: NotReadClaim[] = [];
  const known = new Map<string, Value>();
  const inputs = transaction.inputs.map((input) => {
    const id = inputId(input);
    // An object that two inputs name is one object.
    const value =
      (id === undefined ? undefined : known.get(id)) ?? makeInput(input, id, transaction, facts, notRead);
    if (id) known.set(id, value);
    return value;
  });
  return { inputs, gas: makeGas(transaction, facts), notRead };
}

function makeInput(
  input: Input,
  id: string | undefined,
  transaction: ParsedTransaction,
  { objects }: ExplainFacts,
  notRead: NotReadClaim[],
): Value {
  if (input.$kind === 'Pure') {
    return { parts: new Map(), atLeast: 0n, bytes: fromBase64(input.Pure.bytes) };
  }
  if (input.$kind === 'FundsWithdrawal') return makeWithdrawal(input.FundsWithdrawal, transaction);
  if (id === undefined) return { parts: new Map(), atLeast: 0n };
  const fact = objects.get(id);
  if (fact) return makeObject(fact, input, new Set([transaction.sender, transaction.payer]));
  notRead.push({ what: id, reason: 'The node does not have this object.' });
  const origin: Origin = { from: { kind: 'object', id }, type: '?', objectId: id };
  return { parts: new Map([[origin, '?']]), atLeast: 0n, objectId: id };
}

function makeObject(
  { id, type: named, owner, balance }: ObjectFact,
  input: Input,
  signers: ReadonlySet<string>,
): Value {
  const type = canonicalType(named) ?? named;
  const value = { type, objectId: id, parts: new Map<Origin, string>(), atLeast: balance ?? 0n };
  if (owner.kind === 'immutable' || isReadOnly(input)) return { ...value, access: 'fixed' };
  if (owner.kind === 'shared') {
    const from = isWalletType(type) ? ({ kind: 'object', id } as const) : ({ kind: 'protocol', id } as const);
    value.parts.set({ from, type, objectId: id }, type);
    return { ...value, access: 'shared', home: { kind: 'object', id } };
  }
  // An address that does not sign is that of an object, from which a call can receive this one.
  const isSent = owner.kind === 'object' || !signers.has(owner.address);
  const holderId = owner.kind === 'object' ? owner.id : owner.address;
  const holder: Holder = isSent ? { kind: 'object', id: holderId } : { kind: 'address', address: holderId };
  const origin: Origin = isCoin(type)
    ? { from: holder, holder, type, amount: balance }
    : { from: holder, holder, type, objectId: id };
  value.parts.set(origin, type);
  const home: Holder = isCoin(type) || isSent ? holder : { kind: 'object', id };
  return { ...value, home, ...(isSent && { access: 'receiving' as const }) };
}

const isReadOnly = (input: Input): boolean =>
  input.$kind === 'Object' &&
  input.Object.$kind === 'SharedObject' &&
  input.Object.SharedObject.mutable === false;

type Withdrawal = Extract<Input, { $kind: 'FundsWithdrawal' }>['FundsWithdrawal'];

function makeWithdrawal(
  { reservation, typeArg, withdrawFrom }: Withdrawal,
  { sender, payer }: ParsedTransaction,
): Value {
  const { $kind } = withdrawFrom;
  const address =
    $kind === 'Sender' ? sender : $kind === 'Sponsor' ? payer : withdrawFrom.SenderAllowance.funder;
  const holder: Holder = { kind: 'address', address };
  const type = `${framework}::funds_accumulator::Withdrawal<${framework}::balance::Balance<${canonicalType(typeArg.Balance) ?? typeArg.Balance}>>`;
  const amount = BigInt(reservation.MaxAmountU64);
  const origin: Origin = { from: holder, holder, type, amount };
  return { type, parts: new Map([[origin, type]]), atLeast: 0n };
}

function makeGas({ payer, payment }: ParsedTransaction, { objects }: ExplainFacts): Value {
  const holder: Holder = { kind: 'address', address: payer };
  const type = `${framework}::coin::Coin<${sui}>`;
  const balances = payment?.map((id) => objects.get(id)?.balance);
  // Without coins, the gas is paid from the balance of the address.
  const isKnown =
    balances !== undefined && balances.length > 0 && balances.every((each) => each !== undefined);
  const amount = isKnown ? balances.reduce((sum, each) => sum + each, 0n) : undefined;
  const origin: Origin = { from: holder, holder, type, amount };
  return { type, parts: new Map([[origin, type]]), atLeast: 0n, home: holder };
}
