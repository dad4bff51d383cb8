import { setTimeout as delay } from 'node:timers/promises';
import { explainExecutionError } from '@adaptor-marketplace/adaptor/aborts/explain';
import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { inUnits } from '@adaptor-marketplace/adaptor/chain/coin-units';
import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { Refusal, say } from '../io.ts';
import { balanceOf, suiInWords } from '../network/balance.ts';
import { nodeFailure } from '../output/node-failure.ts';
import type { Session } from './session.ts';

/** What a transaction did. */
export interface Executed {
  digest: string;
  created: { id: string; type: string }[];
  events: { type: string; json: unknown }[];
}

/** The chain will not have it. */
export class ChainRefusal extends Refusal {
  /** Where a Move function aborted: `0x…::module`, and its code. */
  readonly abort: { module: string; code: number } | undefined;

  constructor(message: string, abort?: ChainRefusal['abort']) {
    super(message);
    this.abort = abort;
  }
}

/** What bounds a transaction beside what it calls. */
export interface ExecuteOptions {
  /** The most gas that is signed for, in MIST, which `--gas-max` says. Absent: 5 SUI, for what calls no stranger's code. */
  gasMax?: bigint | undefined;
}

const gasMaxUsual = 5_000_000_000n;
const timeoutMs = 60_000;
const pauseMs = 100;
const include = { effects: true, events: true, objectTypes: true } as const;

/**
 * Signs and executes what `append` appends, after the node has tried it out, and waits until a checkpoint has it.
 * @throws ChainRefusal where it would fail or did; Refusal where the node does not say what became of it
 */
export async function signAndExecute(
  session: Session,
  what: string,
  append: (tx: Transaction) => void,
  { gasMax }: ExecuteOptions = {},
): Promise<Executed> {
  const { io, signer, address, network } = session;
  const client = session.client.within(timeoutMs);
  const { bytes, gasBudget } = await build(session, append, gasMax);
  if (gasMax !== undefined) say(io.err, [`gas      at most ${inUnits(String(gasBudget), 9)} SUI`]);
  say(io.err, [`signing  ${what}, as ${address} on ${network}`]);
  const digest = TransactionDataBuilder.getDigestFromBytes(bytes);
  const { signature } = await signer.signTransaction(bytes);
  const result = await client
    .executeTransaction({ transaction: bytes, signatures: [signature], include })
    .catch((error: unknown) => {
      throw new Refusal(
        `The node does not say whether it was executed: ${nodeFailure(messageOf(error))}. Look for ${digest} before you ` +
          'try again.',
      );
    });
  if (result.$kind === 'FailedTransaction') {
    const { error } = result.FailedTransaction.status;
    throw error ? refusalOf(session, error) : new ChainRefusal(`The transaction ${digest} failed.`);
  }
  await untilInCheckpoint(session, digest);
  const { effects, objectTypes, events } = result.Transaction;
  return {
    digest,
    created: effects.changedObjects
      .filter(({ idOperation }) => idOperation === 'Created')
      .map(({ objectId }) => ({ id: objectId, type: objectTypes[objectId] ?? 'package' })),
    events: events.map(({ eventType, json }) => ({ type: eventType, json })),
  };
}

/** Lists of the node, and so the marketplace, have a transaction once a checkpoint does. Gives up after a minute. */
async function untilInCheckpoint({ client }: Session, digest: string): Promise<void> {
  const request = { digest, readMask: { paths: ['digest', 'checkpoint'] } };
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const found = await ask(client.ledgerService.getTransaction(request, callOptions(timeoutMs)));
    if (found.status === 'found' && found.value.transaction?.checkpoint !== undefined) return;
    await delay(pauseMs);
  }
}

/**
 * Adds gas of the signer's. The node tries the transaction out meanwhile. The budget in the signed bytes is the bound:
 * code that fills storage at execution, whose rebate is another's, gets no more than that.
 */
async function build(
  session: Session,
  append: (tx: Transaction) => void,
  gasMax: bigint | undefined,
): Promise<{ bytes: Uint8Array; gasBudget: bigint }> {
  const transaction = new Transaction();
  transaction.setSender(session.address);
  append(transaction);
  const bytes = await transaction
    .build({ client: session.client.within(timeoutMs) })
    .catch(async (error: unknown) => {
      const known = error instanceof SimulationError ? error.executionError : undefined;
      throw known
        ? refusalOf(session, known)
        : new ChainRefusal(await buildFailure(session, error), undefined);
    });
  // Of the bytes themselves: nothing else is signed.
  const gasBudget = BigInt(TransactionDataBuilder.fromBytes(bytes).gasData.budget ?? 0);
  const most = gasMax ?? gasMaxUsual;
  if (gasBudget <= most) return { bytes, gasBudget };
  const remedy = gasMax === undefined ? '' : ' If it is meant to cost that much, say so: --gas-max.';
  throw new Refusal(
    `It needs ${gasBudget} MIST of gas, more than the ${most} that is signed for. Nothing was signed.${remedy}`,
  );
}

function refusalOf(
  { registry, registryPackageId, walletPackage, address }: Session,
  error: SuiClientTypes.ExecutionError,
): ChainRefusal {
  const { code, detail } = explainExecutionError(error, {
    registryPackageId,
    walletPackageId: walletPackage?.originalId,
    originals: new Map([
      [registry.packageId, registryPackageId],
      ...(walletPackage ? [[walletPackage.calledId, walletPackage.originalId] as const] : []),
    ]),
  });
  if (code === 'insufficient_gas') return new ChainRefusal('The gas ran out before the end.');
  if (/InsufficientCoinBalance/.test(detail)) {
    return new ChainRefusal(
      `A coin holds less than the transaction takes from it. "adaptor-marketplace whoami" says what ${address} has.`,
    );
  }
  if (/PackageUpgradeError/.test(detail)) {
    return new ChainRefusal(
      `${detail}. Keep public functions and structs as they were, or publish without --upgrade.`,
    );
  }
  if (error.$kind !== 'MoveAbort') return new ChainRefusal(detail);
  const { abortCode, location } = error.MoveAbort;
  const module = `${normalizeAddress(location?.package ?? '')}::${location?.module}`;
  return new ChainRefusal(detail, { module, code: Number(abortCode) });
}

/** Why the node made no transaction of it. */
async function buildFailure(session: Session, error: unknown): Promise<string> {
  const { network, node } = session;
  const text = messageOf(error);
  // The SDK wraps what the node, or the way to it, said.
  const said = [error, error instanceof Error ? error.cause : undefined].find(
    (one) => one instanceof RpcError,
  );
  if (said && /UNAVAILABLE|DEADLINE_EXCEEDED|CANCELLED/.test(said.code)) {
    return `The node ${node.url} does not answer: ${nodeFailure(`${said.code}: ${text}`)}. Nothing was signed.`;
  }
  const absent = /package not found[^:]*: (0x[0-9a-f]{1,64})/i.exec(text)?.[1];
  if (absent !== undefined) {
    return `${network} has no package ${absent}, which one of the given types or ids names. Is it of another network?`;
  }
  if (/insufficient SUI balance|no valid gas coins|gas selection|balance of gas/i.test(text)) {
    return await gasFailure(session, /budget (\d+)/.exec(text)?.[1]);
  }
  return `The chain would not take it: ${text}`;
}

async function gasFailure(
  { client, address, network }: Session,
  budget: string | undefined,
): Promise<string> {
  const held = await balanceOf(client, address).then(suiInWords, () => 'too little SUI');
  const needed =
    budget === undefined ? '' : `, and the transaction needs up to ${suiInWords(BigInt(budget))}`;
  const remedy =
    network === 'mainnet' ? `Send SUI to ${address}.` : 'Take some from the faucet: adaptor-marketplace fund';
  return `Not enough SUI for the gas: ${address} has ${held}${needed}. ${remedy}`;
}
