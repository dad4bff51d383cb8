import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { ask, callOptions, createFunctionReader, formatUnits } from '@adaptor-marketplace/adaptor/chain';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import { explainExecutionError } from '@adaptor-marketplace/adaptor/transactions';
import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { decodeSuiPrivateKey, type Signer } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import type { Command } from 'commander';
import { describeSui, readBalance } from './coins.ts';
import {
  CommandFailedError,
  explainNodeError,
  type Io,
  say,
  TransactionPrintedError,
  UsageError,
} from './io.ts';
import {
  type Connection,
  createNodeCommand,
  type NodeOptions,
  type Packages,
  resolvePackages,
  withConnection,
} from './network.ts';
import { addressArgument, answer } from './options.ts';
import { formatPtb } from './ptb.ts';

const keypairs = {
  ED25519: Ed25519Keypair,
  Secp256k1: Secp256k1Keypair,
  Secp256r1: Secp256r1Keypair,
};

/**
 * Reads the signing key: from the file of the option or of the environment, else from the environment itself.
 * @throws UsageError; its message never contains the key
 */
export async function readKey(
  file: string | undefined,
  env: Record<string, string | undefined>,
): Promise<Signer> {
  const path = file ?? env.SUI_SECRET_KEY_FILE;
  if (path) return parseKey(await readKeyFile(path), path);
  if (env.SUI_SECRET_KEY) return parseKey(env.SUI_SECRET_KEY.trim(), 'SUI_SECRET_KEY');
  throw new UsageError(
    [
      'No key: set --key-file or SUI_SECRET_KEY_FILE to its file, or set SUI_SECRET_KEY.',
      ...howToCreateKey,
    ].join('\n'),
  );
}

const howToCreateKey = [
  'To create one and fund it from a faucet:',
  '  npx adaptor-marketplace new-key my.key',
  '  export SUI_SECRET_KEY_FILE=my.key',
  '  npx adaptor-marketplace fund',
];

async function readKeyFile(path: string): Promise<string> {
  return await readSecretFile(path).catch((error: unknown) => {
    throw new UsageError(`No key: ${getErrorMessage(error)}.`);
  });
}

function parseKey(text: string, from: string): Signer {
  try {
    const { scheme, secretKey } = decodeSuiPrivateKey(text);
    if (scheme in keypairs) return keypairs[scheme as keyof typeof keypairs].fromSecretKey(secretKey);
  } catch {
    // The SDK's message may contain a part of the key.
  }
  throw new UsageError(
    `${from} does not contain a valid key. Expected suiprivkey1..., as "sui keytool export" and "adaptor-marketplace new-key" write it.`,
  );
}

export interface SigningOptions extends NodeOptions {
  keyFile?: string;
  /** Print the transaction for the command line of Sui, and sign nothing. */
  ptb?: boolean;
  /** Sender's address with `ptb`, instead of a key. */
  signer?: string;
}

/** A signer, with the network and marketplace to sign for. */
export interface Session extends Connection, Packages {
  /** Undefined if transactions are printed instead of signed. */
  signer: Signer | undefined;
  address: string;
  options: SigningOptions;
}

/** A command that needs a key, and a node as well as the marketplace. */
export const createSigningCommand = (name: string, description: string): Command =>
  addKeyOption(createNodeCommand(name, description));

/** A command that signs a transaction, or prints it for the command line of Sui. */
export function createTransactionCommand(name: string, description: string): Command {
  return createSigningCommand(name, description)
    .option('--ptb', 'simulate, then print the transaction as a "sui client ptb" line; nothing is signed')
    .option('--signer <address>', 'with --ptb: address that will sign, in place of a key', addressArgument);
}

export function addKeyOption(command: Command): Command {
  return command
    .option('--key-file <file>', 'file with the key; see below')
    .addHelpText(
      'after',
      'The key is the suiprivkey1... in the file --key-file, else SUI_SECRET_KEY_FILE, which only its owner may read,\n' +
        'else SUI_SECRET_KEY. "adaptor-marketplace new-key <file>" creates one.',
    );
}

/** Runs `work` with the key and connection of the options. */
export async function withSession<Result>(
  io: Io,
  options: SigningOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (options.signer !== undefined && !options.ptb) throw new UsageError('--signer goes with --ptb only.');
  const key = options.signer === undefined ? await readKey(options.keyFile, io.env) : undefined;
  const address = options.signer ?? key!.toSuiAddress();
  const signer = options.ptb ? undefined : key;
  return await withConnection(io, options, resolvePackages, (connection, packages) =>
    work({ ...connection, ...packages, signer, address, options }),
  );
}

export interface ExecutedTransaction {
  digest: string;
  created: { id: string; type: string }[];
  events: { type: string; json: unknown }[];
}

export class TransactionRejectedError extends CommandFailedError {
  /** Location of a Move abort: `0x…::module`, and its code. */
  readonly abort: { module: string; code: number } | undefined;

  constructor(message: string, abort?: TransactionRejectedError['abort']) {
    super(message);
    this.abort = abort;
  }
}

interface ExecuteOptions {
  /** Called when the transaction is executed, before a checkpoint contains it. */
  onExecuted?: ((executed: ExecutedTransaction) => Promise<void>) | undefined;
  /** Maximum gas budget in MIST (`--gas-max`). Default: 5 SUI, for transactions that call no third-party code. */
  gasMax?: bigint | undefined;
}

const gasMaxDefault = 5_000_000_000n;
const timeoutMs = 60_000;
const pauseMs = 100;
const include = { effects: true, events: true, objectTypes: true } as const;

/**
 * Simulates, signs and executes the calls that `append` appends. Waits up to a minute until a checkpoint contains them.
 * @throws TransactionRejectedError if the simulation or the execution fails; CommandFailedError if the result is
 * unknown; TransactionPrintedError with --ptb
 */
export async function signAndExecute(
  session: Session,
  what: string,
  append: (tx: Transaction) => void,
  { gasMax, onExecuted }: ExecuteOptions = {},
): Promise<ExecutedTransaction> {
  const { io, signer, address, network } = session;
  const client = session.client.within(timeoutMs);
  const { bytes, gasBudget, data } = await buildTransaction(session, append, gasMax);
  if (!signer) {
    const ptb = await formatPtb(data, gasBudget, createFunctionReader(session.client));
    answer(io, session.options, { sender: address, network, gasBudget: String(gasBudget), ptb }, () => [ptb]);
    throw new TransactionPrintedError();
  }
  if (gasMax !== undefined) say(io.err, [`gas      at most ${formatUnits(String(gasBudget), 9)} SUI`]);
  say(io.err, [`signing  ${what}, as ${address} on ${network}`]);
  const digest = TransactionDataBuilder.getDigestFromBytes(bytes);
  const { signature } = await signer.signTransaction(bytes);
  say(io.err, [`digest   ${digest}`]);
  const result = await client
    .executeTransaction({ transaction: bytes, signatures: [signature], include })
    .catch((error: unknown) => {
      throw new CommandFailedError(
        `The node did not confirm the execution: ${explainNodeError(getErrorMessage(error))}. Look up ${digest} before you try again.`,
      );
    });
  if (result.$kind === 'FailedTransaction') {
    const { error } = result.FailedTransaction.status;
    throw error
      ? toRefusal(session, error)
      : new TransactionRejectedError(`The transaction ${digest} failed.`);
  }
  const { effects, objectTypes, events } = result.Transaction;
  const executed = {
    digest,
    created: effects.changedObjects
      .filter(({ idOperation }) => idOperation === 'Created')
      .map(({ objectId }) => ({ id: objectId, type: objectTypes[objectId] ?? 'package' })),
    events: events.map(({ eventType, json }) => ({ type: eventType, json })),
  };
  await onExecuted?.(executed);
  await waitForCheckpoint(session, digest);
  return executed;
}

/**
 * Waits until a checkpoint contains the transaction: only then do the node's lists, and so the marketplace, contain it.
 * Gives up after a minute, without an error.
 */
async function waitForCheckpoint({ client }: Session, digest: string): Promise<void> {
  const request = { digest, readMask: { paths: ['digest', 'checkpoint'] } };
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const found = await ask(client.ledgerService.getTransaction(request, callOptions(timeoutMs)));
    if (found.status === 'found' && found.value.transaction?.checkpoint !== undefined) return;
    await delay(pauseMs);
  }
}

/**
 * Builds the transaction: adds the signer's gas coins, and the node simulates it. The budget in the signed bytes limits
 * the storage that code can pay for at execution, since another address may collect its rebate.
 * @throws TransactionRejectedError if the simulation fails; CommandFailedError if the budget exceeds the limit
 */
async function buildTransaction(
  session: Session,
  append: (tx: Transaction) => void,
  gasMax: bigint | undefined,
): Promise<{ bytes: Uint8Array; gasBudget: bigint; data: ReturnType<Transaction['getData']> }> {
  const transaction = new Transaction();
  transaction.setSender(session.address);
  append(transaction);
  // The data before the build, which adds object versions and gas coins.
  const data = transaction.getData();
  const bytes = await transaction
    .build({ client: session.client.within(timeoutMs) })
    .catch(async (error: unknown) => {
      const known = error instanceof SimulationError ? error.executionError : undefined;
      throw known
        ? toRefusal(session, known)
        : new TransactionRejectedError(await explainBuildFailure(session, error), undefined);
    });
  // The budget comes from the same bytes that are signed.
  const gasBudget = BigInt(TransactionDataBuilder.fromBytes(bytes).gasData.budget ?? 0);
  const most = gasMax ?? gasMaxDefault;
  if (gasBudget <= most) return { bytes, gasBudget, data };
  const remedy = gasMax === undefined ? '' : ' To allow it, raise --gas-max.';
  throw new CommandFailedError(
    `The gas budget of ${gasBudget} MIST exceeds the limit of ${most} MIST. Nothing was signed.${remedy}`,
  );
}

function toRefusal(
  { registry, registryPackageId, walletPackage, address }: Session,
  error: SuiClientTypes.ExecutionError,
): TransactionRejectedError {
  const { code, detail } = explainExecutionError(error, {
    registryPackageId,
    walletPackageId: walletPackage?.originalId,
    originals: new Map([
      [registry.packageId, registryPackageId],
      ...(walletPackage ? [[walletPackage.calledId, walletPackage.originalId] as const] : []),
    ]),
  });
  if (code === 'insufficient_gas')
    return new TransactionRejectedError('Out of gas: the transaction exceeds its gas budget.');
  if (/InsufficientCoinBalance/.test(detail)) {
    return new TransactionRejectedError(
      `Insufficient coin balance. "adaptor-marketplace whoami" shows the balance of ${address}.`,
    );
  }
  if (/PackageUpgradeError/.test(detail)) {
    return new TransactionRejectedError(
      `${detail}. Keep public functions and structs as they were, or publish without --upgrade.`,
    );
  }
  if (error.$kind !== 'MoveAbort') return new TransactionRejectedError(detail);
  const { abortCode, location } = error.MoveAbort;
  const module = `${normalizeAddress(location?.package ?? '')}::${location?.module}`;
  return new TransactionRejectedError(detail, { module, code: Number(abortCode) });
}

/** Explains why the transaction could not be built. */
async function explainBuildFailure(session: Session, error: unknown): Promise<string> {
  const { network, node } = session;
  const text = getErrorMessage(error);
  // The SDK wraps the RPC error.
  const rpcError = [error, error instanceof Error ? error.cause : undefined].find(
    (one) => one instanceof RpcError,
  );
  if (rpcError && /UNAVAILABLE|DEADLINE_EXCEEDED|CANCELLED/.test(rpcError.code)) {
    return `The node ${node.url} does not answer: ${explainNodeError(`${rpcError.code}: ${text}`)}. Nothing was signed.`;
  }
  const absent = /package not found[^:]*: (0x[0-9a-f]{1,64})/i.exec(text)?.[1];
  if (absent !== undefined) {
    return `${network} has no package ${absent}, which one of the given types or ids names. Is it of another network?`;
  }
  if (/insufficient SUI balance|no valid gas coins|gas selection|balance of gas/i.test(text)) {
    return await describeGasFailure(session, /budget (\d+)/.exec(text)?.[1]);
  }
  return `The transaction is invalid: ${text}`;
}

async function describeGasFailure(
  { client, address, network }: Session,
  budget: string | undefined,
): Promise<string> {
  const held = await readBalance(client, address).then(describeSui, () => 'too little SUI');
  const needed =
    budget === undefined ? '' : `, and the transaction needs up to ${describeSui(BigInt(budget))}`;
  const remedy =
    network === 'mainnet'
      ? `Send SUI to ${address}.`
      : `Request some from the faucet: adaptor-marketplace fund ${address}`;
  return `Insufficient SUI for gas: ${address} has ${held}${needed}. ${remedy}`;
}
