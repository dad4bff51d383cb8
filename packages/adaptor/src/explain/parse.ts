import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { normalizeAddress } from '../chain/names.ts';
import { canonicalType } from '../move-types.ts';
import { ExplainError, explainBounds } from './bounds.ts';

type TransactionData = ReturnType<Transaction['getData']>;
export type Command = TransactionData['commands'][number];
export type Input = TransactionData['inputs'][number];
export type Argument = Extract<Command, { $kind: 'SplitCoins' }>['SplitCoins']['coin'];
export type MoveCall = Extract<Command, { $kind: 'MoveCall' }>['MoveCall'];

/** A version that a transaction names of an object. The network refuses the transaction if it is not the current one. */
export interface NamedVersion {
  id: string;
  /** The current version; for a shared object the one at which it was shared. */
  version: string;
  /** Absent for a shared object. */
  digest?: string | undefined;
}

/** An unsigned transaction within the bounds. */
export interface ParsedTransaction {
  sender: string;
  /** Owner of the gas: the sender, or a sponsor. */
  payer: string;
  /** Gas budget in MIST. */
  budget: string | undefined;
  /** Ids of the coins that pay for gas. Undefined if the transaction does not name them. */
  payment: string[] | undefined;
  /** Versions of the inputs and of the coins that pay for gas, as far as the transaction names them. */
  versions: readonly NamedVersion[];
  inputs: readonly Input[];
  commands: readonly Command[];
}

/**
 * Parses the BCS bytes of a transaction in base64, or the JSON of a `Transaction` of `@mysten/sui`.
 * @param sender taken if the transaction names none
 * @throws ExplainError
 */
export function parseTransaction(text: string, sender?: string): ParsedTransaction {
  const trimmed = text.trim();
  const isJson = trimmed.startsWith('{');
  const max = isJson ? explainBounds.jsonCharacters : Math.ceil(explainBounds.bytes / 3) * 4;
  if (trimmed.length > max) {
    throw new ExplainError(
      'transaction_too_large',
      `The transaction has more than ${isJson ? `${max} characters of JSON` : `${explainBounds.bytes} bytes`}.`,
    );
  }
  const data = readData(trimmed);
  checkSizes(data);
  const signer = data.sender ?? sender;
  const address = signer === undefined ? undefined : normalizeAddress(signer);
  if (address === undefined) {
    throw new ExplainError(
      'transaction_invalid',
      'The transaction names no sender. Set it in the transaction, or send `sender`.',
    );
  }
  const { budget, owner, payment } = data.gasData;
  return {
    sender: address,
    payer: normalizeAddress(owner ?? '') ?? address,
    budget: budget === null || budget === undefined ? undefined : String(budget),
    payment: payment?.map(({ objectId }) => normalizeAddress(objectId) ?? objectId),
    versions: listVersions(data),
    inputs: data.inputs,
    commands: data.commands,
  };
}

function listVersions({ inputs, gasData }: TransactionData): NamedVersion[] {
  const named = [...inputs.map(readReference), ...(gasData.payment ?? [])].flatMap((reference) => {
    const { objectId, version, digest } = reference ?? {};
    const id = normalizeAddress(objectId ?? '');
    if (id === undefined || version == null) return [];
    return [{ id, version: String(BigInt(version)), ...(digest != null && { digest }) }];
  });
  return [...new Map(named.map((one) => [one.id, one])).values()];
}

interface Reference {
  objectId: string;
  version?: string | number | null | undefined;
  digest?: string | null | undefined;
}

function readReference(input: Input): Reference | undefined {
  if (input.$kind === 'UnresolvedObject') return input.UnresolvedObject;
  if (input.$kind !== 'Object') return undefined;
  const { Object: object } = input;
  if (object.$kind === 'SharedObject') {
    const { objectId, initialSharedVersion: version } = object.SharedObject;
    return { objectId, version };
  }
  return object.$kind === 'Receiving' ? object.Receiving : object.ImmOrOwnedObject;
}

function readData(text: string): TransactionData {
  try {
    return Transaction.from(text).getData();
  } catch {
    throw new ExplainError(
      'transaction_invalid',
      'This is not an unsigned transaction. Send its BCS bytes in base64, or what `await transaction.toJSON()` of @mysten/sui returns.',
    );
  }
}

function checkSizes({ commands, inputs, gasData }: TransactionData): void {
  const { functions, packages } = explainBounds;
  if (commands.length > explainBounds.commands) throw tooMany('commands', explainBounds.commands);
  if (inputs.length > explainBounds.inputs) throw tooMany('inputs', explainBounds.inputs);
  const coins = gasData.payment?.length ?? 0;
  if (coins > explainBounds.gasCoins) throw tooMany('coins that pay for gas', explainBounds.gasCoins);
  const calls = listCalls(commands);
  if (new Set(calls.map(functionKey)).size > functions) throw tooMany('different functions', functions);
  if (new Set(calls.map(({ package: id }) => id)).size > packages) throw tooMany('packages', packages);
  for (const command of commands) {
    if (command.$kind === '$Intent') {
      throw new ExplainError(
        'transaction_invalid',
        `The transaction has an intent, ${command.$Intent.name.slice(0, 64)}. Resolve it with \`await transaction.toJSON({ client })\`, and send the result.`,
      );
    }
  }
  for (const call of calls) {
    if (normalizeAddress(call.package) === undefined) {
      throw new ExplainError(
        'transaction_invalid',
        `A call names the package ${call.package.slice(0, 80)}, which is not an id.`,
      );
    }
    if (![call.module, call.function].every((name) => identifier.test(name))) {
      throw new ExplainError(
        'transaction_invalid',
        'A call names a module or a function that is not an identifier.',
      );
    }
    checkTypes('the type arguments of a call', call.typeArguments);
  }
  for (const { Publish, Upgrade } of commands) {
    const { modules = [] } = Publish ?? Upgrade ?? {};
    if (!modules.every(isBase64))
      throw new ExplainError('transaction_invalid', 'The bytes of a module are not base64.');
    if (Upgrade && normalizeAddress(Upgrade.package) === undefined)
      throw new ExplainError(
        'transaction_invalid',
        'An upgrade names a package with text that is not an id.',
      );
  }
  for (const { MakeMoveVec: vector } of commands)
    checkTypes('the type of a vector', vector?.type ? [vector.type] : []);
  for (const input of inputs) {
    if (input.$kind === 'FundsWithdrawal')
      checkTypes('the type of a withdrawal', [input.FundsWithdrawal.typeArg.Balance]);
    if (input.$kind === 'Pure' && !isBase64(input.Pure.bytes))
      throw new ExplainError('transaction_invalid', 'The bytes of an input are not base64.');
  }
}

/** An identifier of Move. Bytes of a transaction can have any text in its place. */
export const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

function checkTypes(what: string, types: readonly string[]): void {
  if (types.join().length > explainBounds.typeCharacters)
    throw tooMany(`characters in ${what}`, explainBounds.typeCharacters);
  if (types.some((type) => canonicalType(type) === undefined))
    throw new ExplainError('transaction_invalid', `The transaction has text that is not a type in ${what}.`);
}

function isBase64(text: string): boolean {
  try {
    fromBase64(text);
    return true;
  } catch {
    return false;
  }
}

const tooMany = (what: string, max: number): ExplainError =>
  new ExplainError('transaction_too_large', `The transaction has more than ${max} ${what}.`);

/** The Move calls of commands, in order. */
export const listCalls = (commands: readonly Command[]): MoveCall[] =>
  commands.flatMap((command) => (command.$kind === 'MoveCall' ? [command.MoveCall] : []));

/** Names the function of a call: `0x<package>::module::function`. */
export const functionKey = ({ package: id, module, function: name }: MoveCall): string =>
  `${normalizeAddress(id) ?? id}::${module}::${name}`;

/** The id of an object input. Undefined for another input. */
export function inputId(input: Input): string | undefined {
  if (input.$kind === 'UnresolvedObject') return normalizeAddress(input.UnresolvedObject.objectId);
  if (input.$kind !== 'Object') return undefined;
  const { Object: object } = input;
  if (object.$kind === 'SharedObject') return normalizeAddress(object.SharedObject.objectId);
  return normalizeAddress(
    object.$kind === 'Receiving' ? object.Receiving.objectId : object.ImmOrOwnedObject.objectId,
  );
}

/** All objects that a transaction names, with its gas coins. */
export const listObjectIds = ({ inputs, payment = [] }: ParsedTransaction): string[] => [
  ...new Set([...inputs.map(inputId).filter((id) => id !== undefined), ...payment]),
];
