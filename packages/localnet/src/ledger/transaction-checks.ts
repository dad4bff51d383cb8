import { bcs } from '@mysten/sui/bcs';
import { argumentsOf, type Command } from '../execution/types.ts';
import { messageOf } from '../internal/errors.ts';
import { checkReservations, reservedBy } from './coin-reservations.ts';
import { checkExpiration } from './expiration.ts';
import { checkWithdrawals } from './funds.ts';
import { minimumBudget } from './gas.ts';
import { accumulatorRootId, authenticatorStateId, clockId, randomId } from './move-types.ts';
import { isPlainForm } from './plain-form.ts';
import { limits, referenceGasPrice } from './protocol.ts';
import { refused, refusedInput, sizeExceeded } from './refusals.ts';
import { checkIdentifier, checkTypes, typesNamed } from './type-arguments.ts';
import type { TransactionData } from './types.ts';

export type ProgrammableTransaction = ReturnType<typeof bcs.ProgrammableTransaction.parse>;

/** A user transaction whose form was checked. */
export interface CheckedTransaction {
  data: TransactionData['V1'];
  programmable: ProgrammableTransaction;
  commands: Command[];
}

/** Refuses what is larger with its signatures than any transaction may be. @throws LedgerError */
export function checkSize(transactionBcs: Uint8Array, signatures: readonly Uint8Array[]): void {
  const bytes = signatures.reduce((sum, { length }) => sum + length, transactionBcs.length);
  if (bytes > limits.maxTransactionBytes) {
    throw sizeExceeded('serialized transaction size', limits.maxTransactionBytes, bytes);
  }
}

/** Decodes `TransactionData`. @throws LedgerError when it is too large or not BCS of one, byte for byte. */
export function decodeTransaction(bytes: Uint8Array): TransactionData {
  checkSize(bytes, []);
  try {
    // A copy: the decoder takes byte strings from the buffer behind a view, past the view's own end.
    const data = bcs.TransactionData.parse(new Uint8Array(bytes));
    // The decoder accepts trailing bytes and long forms; the digest must be of the only encoding.
    const isCanonical =
      isPlainForm(bytes) || Buffer.from(bcs.TransactionData.serialize(data).toBytes()).equals(bytes);
    if (!isCanonical) throw new Error('not canonical');
    return data;
  } catch (error) {
    throw refused(
      'InvalidTransactionData',
      `The transaction is not BCS of TransactionData: ${messageOf(error)}`,
    );
  }
}

/**
 * Everything that can be said without reading an object.
 *
 * @param chainId Base58, for expirations.
 * @param needsPayment `false` for simulations, which may run without gas coins.
 */
export function checkForm(
  transaction: TransactionData,
  chainId: string,
  needsPayment = true,
): CheckedTransaction {
  const data = transaction.V1;
  const programmable = data.kind.ProgrammableTransaction;
  if (programmable === undefined) {
    throw refused('InvalidSystemTransaction', 'System Transaction not accepted');
  }
  checkExpiration(data.expiration, chainId);
  // Without a coin that only one transaction can use, an expiration keeps a transaction from executing again later.
  checkGasData(data.gasData, needsPayment && data.expiration.$kind !== 'ValidDuring');
  const coins = data.gasData.payment.filter((each) => reservedBy(each) === undefined);
  checkInputs(programmable, coins);
  const reservations = data.gasData.payment.length - coins.length;
  checkWithdrawals(programmable.inputs, data.gasData.owner !== data.sender, reservations);
  checkReservations(data, chainId);
  for (const command of programmable.commands) checkCommand(command);
  checkAfterRandom(programmable);
  const publishes = programmable.commands.filter(
    (command) => 'Publish' in command || 'Upgrade' in command,
  ).length;
  if (publishes > limits.maxPublishCommands) {
    const count = `${limits.maxPublishCommands} max publish/upgrade commands allowed, ${publishes} provided`;
    throw refusedInput('MaxPublishCountExceeded', count);
  }
  return { data, programmable, commands: programmable.commands };
}

function checkGasData(gas: TransactionData['V1']['gasData'], needsPayment: boolean): void {
  const price = BigInt(gas.price);
  const budget = BigInt(gas.budget);
  if (needsPayment && gas.payment.length === 0)
    throw refusedInput('MissingGasPayment', 'Transaction gas payment missing');
  if (gas.payment.length > limits.maxGasPaymentObjects) {
    throw sizeExceeded(
      'maximum number of gas payment objects',
      limits.maxGasPaymentObjects,
      gas.payment.length,
    );
  }
  checkPriceAndBudget(price, budget);
}

function checkPriceAndBudget(price: bigint, budget: bigint): void {
  if (price < referenceGasPrice) {
    const text = `Gas price ${price} under reference gas price (RGP) ${referenceGasPrice}`;
    throw refusedInput('GasPriceUnderRGP', text);
  }
  if (price > limits.maxGasPrice) {
    throw refusedInput('GasPriceTooHigh', `Gas price cannot exceed ${limits.maxGasPrice} mist`);
  }
  if (budget > limits.maxGasBudget) {
    const text = `Gas budget: ${budget} is higher than max: ${limits.maxGasBudget}`;
    throw refusedInput('GasBudgetTooHigh', text);
  }
  if (budget < minimumBudget(price)) {
    throw refusedInput('GasBudgetTooLow', `Gas budget: ${budget} is lower than min: ${minimumBudget(price)}`);
  }
}

/** Shared objects that only the system changes. */
const onlyReadable = new Set([clockId, randomId, accumulatorRootId]);

function checkInputs({ inputs, commands }: ProgrammableTransaction, coins: { objectId: string }[]): void {
  fewerThan('maximum commands in a programmable transaction', limits.maxCommands, commands);
  const objects = inputs.filter((input) => input.Object !== undefined);
  if (objects.length > limits.maxInputObjects) {
    const limit = 'maximum input + receiving objects in a transaction';
    throw sizeExceeded(limit, limits.maxInputObjects, objects.length);
  }
  const seen = new Set(coins.map(({ objectId }) => objectId));
  let distinct = seen.size === coins.length;
  for (const input of inputs) {
    if (input.FundsWithdrawal) continue;
    if (input.Pure) {
      const size = Buffer.byteLength(input.Pure.bytes, 'base64');
      if (size >= limits.maxPureArgumentBytes) {
        throw sizeExceeded('maximum pure argument size', limits.maxPureArgumentBytes, size);
      }
      continue;
    }
    const reference = input.Object.ImmOrOwnedObject ?? input.Object.Receiving ?? input.Object.SharedObject;
    if (reference === undefined) continue;
    if (input.Object.SharedObject?.mutable && onlyReadable.has(reference.objectId)) {
      throw refusedInput(
        'ImmutableParameterExpectedError',
        'Mutable parameter provided, immutable parameter expected',
      );
    }
    if (reference.objectId === authenticatorStateId) {
      const text = `Object ${authenticatorStateId} is a system object and cannot be accessed by user transactions`;
      throw refusedInput('InaccessibleSystemObject', text);
    }
    distinct &&= !seen.has(reference.objectId);
    seen.add(reference.objectId);
  }
  if (!distinct) {
    throw refusedInput('DuplicateObjectRefInput', "The transaction inputs contain duplicated ObjectRef's");
  }
}

/** What a random number led to cannot be looked at, and refused, by the transaction that it was made in. */
function checkAfterRandom({ inputs, commands }: ProgrammableTransaction): void {
  const random = inputs.findIndex((input) => input.Object?.SharedObject?.objectId === randomId);
  const usesRandom = (command: Command) =>
    argumentsOf(command).some((argument) => argument.$kind === 'Input' && argument.Input === random);
  const first = random < 0 ? -1 : commands.findIndex(usesRandom);
  const after = first < 0 ? [] : commands.slice(first + 1);
  if (after.every(({ $kind }) => $kind === 'TransferObjects' || $kind === 'MergeCoins')) return;
  throw refusedInput(
    'PostRandomCommandRestrictions',
    'Commands following a command with Random can only be TransferObjects or MergeCoins',
  );
}

function checkCommand(command: Command): void {
  checkTypes(typesNamed(command));
  switch (command.$kind) {
    case 'MoveCall':
      checkIdentifier(command.MoveCall.module);
      checkIdentifier(command.MoveCall.function);
      fewerThan('maximum arguments in a move call', limits.maxArguments, command.MoveCall.arguments);
      break;
    case 'TransferObjects':
      checkArguments(command.TransferObjects.objects);
      break;
    case 'SplitCoins':
      checkArguments(command.SplitCoins.amounts);
      break;
    case 'MergeCoins':
      checkArguments(command.MergeCoins.sources);
      break;
    case 'MakeMoveVec':
      checkArguments(command.MakeMoveVec.elements, command.MakeMoveVec.type !== null);
      break;
    case 'Publish':
      checkPackage(command.Publish);
      break;
    case 'Upgrade':
      checkPackage(command.Upgrade);
  }
}

function checkArguments(values: unknown[], mayBeEmpty = false): void {
  if (!mayBeEmpty) notEmpty(values);
  fewerThan('maximum arguments in a programmable transaction command', limits.maxArguments, values);
}

function checkPackage({ modules, dependencies }: { modules: string[]; dependencies: string[] }): void {
  notEmpty(modules);
  const limit = 'maximum modules in a programmable transaction upgrade command';
  fewerThan(limit, limits.maxModulesInPublish, modules);
  fewerThan('maximum package dependencies', limits.maxPackageDependencies, dependencies);
}

function notEmpty(values: unknown[]): void {
  if (values.length > 0) return;
  throw refusedInput(
    'EmptyCommandInput',
    'TransferObjects, MergeCoin, and Publish cannot have empty arguments. If MakeMoveVec has empty arguments, it must have a type specified',
  );
}

function fewerThan(limit: string, bound: number, values: unknown[]): void {
  if (values.length >= bound) throw sizeExceeded(limit, bound, values.length);
}
