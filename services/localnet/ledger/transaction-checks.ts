import { bcs } from '@mysten/sui/bcs';
import { messageOf } from '../../../lib/errors/index.ts';
import type { Command } from '../execution/types.ts';
import { checkExpiration } from './expiration.ts';
import { minimumBudget } from './gas.ts';
import { clockId } from './move-types.ts';
import { limits, referenceGasPrice } from './protocol.ts';
import { refused, refusedInput, unsupported } from './refusals.ts';
import type { TransactionData } from './types.ts';

export type ProgrammableTransaction = ReturnType<typeof bcs.ProgrammableTransaction.parse>;

/** A user transaction whose form was checked. */
export interface CheckedTransaction {
  data: TransactionData['V1'];
  programmable: ProgrammableTransaction;
  commands: Command[];
}

/** Decodes `TransactionData`. @throws LedgerError when it is too large or not BCS of one, byte for byte. */
export function decodeTransaction(bytes: Uint8Array): TransactionData {
  if (bytes.length > limits.maxTransactionBytes) {
    throw sizeExceeded('serialized transaction size', limits.maxTransactionBytes, bytes.length);
  }
  try {
    // A copy: the decoder takes byte strings from the buffer behind a view, past the view's own end.
    const data = bcs.TransactionData.parse(new Uint8Array(bytes));
    // The decoder accepts trailing bytes and long forms; the digest must be of the only encoding.
    if (!Buffer.from(bcs.TransactionData.serialize(data).toBytes()).equals(bytes))
      throw new Error('not canonical');
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
  checkGasData(data.gasData, needsPayment);
  checkInputs(programmable, data.gasData.payment);
  for (const command of programmable.commands) checkCommand(command);
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

function checkInputs(transaction: ProgrammableTransaction, payment: { objectId: string }[]): void {
  if (transaction.inputs.length + payment.length > limits.maxInputObjects) {
    throw sizeExceeded('maximum input objects', limits.maxInputObjects, transaction.inputs.length);
  }
  if (transaction.commands.length > limits.maxCommands) {
    throw sizeExceeded(
      'maximum commands in a programmable transaction',
      limits.maxCommands,
      transaction.commands.length,
    );
  }
  const seen = new Set(payment.map(({ objectId }) => objectId));
  let distinct = seen.size === payment.length;
  for (const input of transaction.inputs) {
    if (input.FundsWithdrawal) throw unsupported('withdrawing from address balances');
    if (input.Pure) {
      const size = Buffer.byteLength(input.Pure.bytes, 'base64');
      if (size > limits.maxPureArgumentBytes) {
        throw sizeExceeded('maximum pure argument size', limits.maxPureArgumentBytes, size);
      }
      continue;
    }
    const reference = input.Object.ImmOrOwnedObject ?? input.Object.Receiving ?? input.Object.SharedObject;
    if (reference === undefined) continue;
    if (input.Object.SharedObject?.mutable && reference.objectId === clockId) {
      throw refusedInput(
        'ImmutableParameterExpectedError',
        'Mutable parameter provided, immutable parameter expected',
      );
    }
    distinct &&= !seen.has(reference.objectId);
    seen.add(reference.objectId);
  }
  if (!distinct) {
    throw refusedInput('DuplicateObjectRefInput', "The transaction inputs contain duplicated ObjectRef's");
  }
}

function checkCommand(command: Command): void {
  switch (command.$kind) {
    case 'MoveCall':
      atMost('maximum arguments in a move call', limits.maxArguments, command.MoveCall.arguments);
      atMost('maximum type arguments in a call', limits.maxTypeArguments, command.MoveCall.typeArguments);
      break;
    case 'TransferObjects':
      notEmpty(command.TransferObjects.objects);
      break;
    case 'SplitCoins':
      notEmpty(command.SplitCoins.amounts);
      break;
    case 'MergeCoins':
      notEmpty(command.MergeCoins.sources);
      break;
    case 'MakeMoveVec':
      if (command.MakeMoveVec.type === null) notEmpty(command.MakeMoveVec.elements);
      else atMost('maximum arguments in a MakeMoveVec', limits.maxArguments, command.MakeMoveVec.elements);
      break;
    case 'Publish':
      notEmpty(command.Publish.modules);
      break;
    case 'Upgrade':
      notEmpty(command.Upgrade.modules);
  }
}

function notEmpty(values: unknown[]): void {
  if (values.length === 0) {
    throw refusedInput(
      'EmptyCommandInput',
      'TransferObjects, MergeCoin, and Publish cannot have empty arguments. If MakeMoveVec has empty arguments, it must have a type specified',
    );
  }
  atMost('maximum arguments in a programmable transaction command', limits.maxArguments, values);
}

function atMost(limit: string, most: number, values: unknown[]): void {
  if (values.length > most) throw sizeExceeded(limit, most, values.length);
}

function sizeExceeded(limit: string, most: number, found: number) {
  return refusedInput('SizeLimitExceeded', `Size limit exceeded: ${limit} is ${most}, found ${found}`);
}
