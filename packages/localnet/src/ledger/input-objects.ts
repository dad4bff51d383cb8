import type { Command, ExecutionArgument } from '../execution/types.ts';
import { consensusStart, type MoveObject, type ObjectRecord, owningAddress } from '../state/objects.ts';
import { reservedBy, reservedIn } from './coin-reservations.ts';
import { checkDenyList } from './deny-list.ts';
import { checkReserved, gasWithdrawal, type ReadFunds, withdrawalOf } from './funds.ts';
import { coinBalance, coinTypeOf, suiCoinType } from './move-types.ts';
import { refusedInput } from './refusals.ts';
import type { CheckedTransaction, ProgrammableTransaction } from './transaction-checks.ts';
import { packagesOfType, typesNamed } from './type-arguments.ts';

export type MoveRecord = ObjectRecord & MoveObject;

/** Current live version of any object. */
export type ReadLive = (id: string) => ObjectRecord | undefined;

/** The objects that a transaction names, at the versions that it will run with. */
export interface TransactionObjects {
  /** One per input of the programmable transaction. */
  inputs: ExecutionArgument[];
  /** The records behind `inputs` that are objects. */
  records: Map<string, MoveRecord>;
  gas: GasPayment;
}

/** What pays for gas. The first takes in the others. */
interface GasPayment {
  owner: string;
  /** In the order of payment. */
  coins: MoveRecord[];
  /** MIST of the owner's funds. */
  funds: bigint;
  /** Whether funds come first; else the first coin does. */
  fundsFirst: boolean;
}

type CallArg = ProgrammableTransaction['inputs'][number];
type Reference = { objectId: string; version: string; digest: string };

type Demand =
  | { ownership: true; funds: boolean }
  | { ownership: false; funds: boolean; readVersion: ReadVersion };

type ReadVersion = (id: string, version: bigint) => ObjectRecord | undefined;

/**
 * Finds the transaction's objects and checks existence, exact versions and digests, ownership and funds, as
 * the chain does before it executes.
 *
 * @param demand What simulations may leave out: that the sender owns the objects and has what is withdrawn, that there is
 *   enough for gas. Without ownership, `readVersion` reads inputs at the version that they name, of any owner.
 * @throws LedgerError with the full node's reason and words; nothing is charged.
 */
export function loadObjects(
  transaction: CheckedTransaction,
  read: ReadLive,
  funds: ReadFunds,
  demand: Demand = { ownership: true, funds: true },
): TransactionObjects {
  const { data } = transaction;
  const { gasData } = data;
  checkPackages(transaction, read);
  const gas = gasPayment(gasData, demand.funds, read);
  if (demand.funds) checkFunds(gas, BigInt(gasData.budget));
  const records = new Map<string, MoveRecord>();
  const withdrawals = gas.funds > 0n ? [gasWithdrawal(data, gas.funds)] : [];
  const inputs = transaction.programmable.inputs.map((input): ExecutionArgument => {
    if (input.FundsWithdrawal) {
      const withdrawal = withdrawalOf(input.FundsWithdrawal, data);
      withdrawals.push(withdrawal);
      return { kind: 'withdrawal', ...withdrawal };
    }
    const argument = loadInput(input, demand, data.sender, read);
    if (argument.record) records.set(argument.record.id, argument.record);
    return argument.argument;
  });
  if (demand.ownership) {
    checkReserved(withdrawals, funds);
    const coins = [...records.values()].flatMap(({ type }) => coinTypeOf(type) ?? []);
    checkDenyList(data.sender, [...coins, ...withdrawals.map(({ coinType }) => coinType)], read);
  }
  return { inputs, records, gas };
}

type GasData = CheckedTransaction['data']['gasData'];

/** @param needsPayment `false` where a simulation pays for what names no payment. */
function gasPayment({ owner, payment, budget }: GasData, needsPayment: boolean, read: ReadLive): GasPayment {
  const [first] = payment;
  const coins = payment.filter((each) => reservedBy(each) === undefined);
  return {
    owner,
    coins: coins.map((each) => gasObject(each, owner, read)),
    funds: first === undefined && needsPayment ? BigInt(budget) : reservedIn(payment),
    fundsFirst: first === undefined ? needsPayment : first !== coins[0],
  };
}

function loadInput(
  input: CallArg,
  demand: Demand,
  sender: string,
  read: ReadLive,
): { argument: ExecutionArgument; record?: MoveRecord } {
  if (input.Pure) return { argument: { kind: 'pure', bytes: Buffer.from(input.Pure.bytes, 'base64') } };
  const object = input.Object;
  if (object?.ImmOrOwnedObject) {
    const record = demand.ownership
      ? ownedObject(object.ImmOrOwnedObject, sender, read)
      : findVersion(object.ImmOrOwnedObject, demand.readVersion, read);
    return {
      argument: { kind: 'object', object: record, mutable: record.owner.kind !== 'immutable' },
      record,
    };
  }
  if (object?.Receiving) {
    const record = exactObject(object.Receiving, read);
    checkReceivable(record);
    return { argument: { kind: 'receiving', object: record }, record };
  }
  if (object?.SharedObject) {
    const { objectId, initialSharedVersion, mutable } = object.SharedObject;
    const record = liveObject(objectId, undefined, read);
    const start = consensusStart(record.owner);
    if (start === undefined) {
      throw refusedInput('NotSharedObjectError', 'Object used as shared is not shared');
    }
    if (start !== BigInt(initialSharedVersion)) {
      const text = 'Wrong initial version given for shared object';
      throw refusedInput('SharedObjectStartingVersionMismatch', text);
    }
    const owner = owningAddress(record.owner);
    if (demand.ownership && owner !== undefined && owner !== sender) throw wrongOwner(record, sender);
    return { argument: { kind: 'object', object: record, mutable }, record };
  }
  throw refusedInput('Unsupported', 'Feature is not supported: this kind of input');
}

function liveObject(objectId: string, version: string | undefined, read: ReadLive): MoveRecord {
  const record = read(objectId);
  if (record === undefined) {
    const asked = version === undefined ? 'None' : `Some(SequenceNumber(${version}))`;
    const text = `Could not find the referenced object ${objectId} at version ${asked}`;
    throw refusedInput('ObjectNotFound', text);
  }
  if (record.kind === 'package') {
    const text = `A move object is expected, instead a move package is passed: ${objectId}`;
    throw refusedInput('MovePackageAsObject', text);
  }
  return record;
}

function exactObject(reference: Reference, read: ReadLive): MoveRecord {
  const { objectId, digest } = reference;
  const record = liveObject(objectId, reference.version, read);
  const version = BigInt(reference.version);
  if (record.version !== version) {
    throw refusedInput(
      'ObjectVersionUnavailableForConsumption',
      `Object ID ${objectId} Version ${version} Digest ${digest} is not available for consumption, current version: ${record.version}`,
    );
  }
  if (record.digest !== digest) {
    const text = `Invalid Object digest for object ${objectId}. Expected digest : ${record.digest}`;
    throw refusedInput('InvalidObjectDigest', text);
  }
  return record;
}

/** The object at the version that is named, live or not; its digest and owner are not looked at. */
function findVersion(reference: Reference, readVersion: ReadVersion, read: ReadLive): MoveRecord {
  const record = readVersion(reference.objectId, BigInt(reference.version));
  if (record?.kind === 'move') return record;
  return exactObject(reference, read);
}

function ownedObject(reference: Reference, sender: string, read: ReadLive): MoveRecord {
  const record = exactObject(reference, read);
  switch (record.owner.kind) {
    case 'immutable':
      return record;
    case 'address':
      if (record.owner.address !== sender) throw wrongOwner(record, sender);
      return record;
    case 'object':
      throw childObject(record.id, record.owner.address);
    case 'shared':
    case 'consensusAddress':
      throw refusedInput('NotOwnedObjectError', 'Object used as owned is not owned');
  }
}

function checkReceivable(record: MoveRecord): void {
  if (record.owner.kind === 'object') throw childObject(record.id, record.owner.address);
  if (record.owner.kind !== 'address') {
    throw refusedInput('NotOwnedObjectError', 'Object used as owned is not owned');
  }
}

function gasObject(payment: Reference, owner: string, read: ReadLive): MoveRecord {
  const record = exactObject(payment, read);
  if (record.owner.kind !== 'address') {
    const text = `Gas object is not an owned object with owner: ${record.owner.kind}`;
    throw refusedInput('GasObjectNotOwnedObject', text);
  }
  if (record.owner.address !== owner) throw wrongOwner(record, owner);
  if (record.type !== suiCoinType) {
    throw refusedInput('InvalidGasObject', `Object ${record.id} is not a gas object`);
  }
  return record;
}

/** MIST in all of a payment. */
export function paymentOf({ coins, funds }: GasPayment): bigint {
  return coins.reduce((sum, coin) => sum + coinBalance(coin.contents), funds);
}

function checkFunds(gas: GasPayment, budget: bigint): void {
  const balance = paymentOf(gas);
  if (balance < budget) {
    const text = `Balance of gas object ${balance} is lower than the needed amount: ${budget}`;
    throw refusedInput('GasBalanceTooLow', text);
  }
}

function checkPackages({ commands, programmable }: CheckedTransaction, read: ReadLive): void {
  const withdrawn = programmable.inputs.flatMap(({ FundsWithdrawal: funds }) =>
    funds ? [...packagesOfType(funds.typeArg.Balance)] : [],
  );
  for (const id of new Set([...commands.flatMap(packagesNamed), ...withdrawn])) checkPackage(id, read);
}

function packagesNamed(command: Command): string[] {
  return [...packagesCalled(command), ...typesNamed(command).flatMap((type) => [...packagesOfType(type)])];
}

function packagesCalled(command: Command): string[] {
  switch (command.$kind) {
    case 'MoveCall':
      return [command.MoveCall.package];
    case 'Publish':
      return command.Publish.dependencies;
    case 'Upgrade':
      return [...command.Upgrade.dependencies, command.Upgrade.package];
    default:
      return [];
  }
}

function checkPackage(id: string, read: ReadLive): void {
  const record = read(id);
  if (record === undefined) {
    throw refusedInput('DependentPackageNotFound', `Dependent package not found on-chain: ${id}`);
  }
  if (record.kind !== 'package') {
    const text = `A move package is expected, instead a move object is passed: ${id}`;
    throw refusedInput('MoveObjectAsPackage', text);
  }
}

function wrongOwner(record: MoveRecord, signer: string) {
  const owner = owningAddress(record.owner) ?? record.owner.kind;
  return refusedInput(
    'IncorrectUserSignature',
    `Transaction was not signed by the correct sender: Object ${record.id} is owned by account address ${owner}, but given owner/signer address is ${signer}`,
  );
}

function childObject(id: string, parent: string) {
  const text = `Object ${id} is owned by object ${parent}. Objects owned by other objects cannot be used as input arguments`;
  return refusedInput('InvalidChildObjectArgument', text);
}
