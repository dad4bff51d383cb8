import { bcs } from '@mysten/sui/bcs';
import { z } from 'zod';
import type { CheckpointRow } from '../state/checkpoint-store.ts';
import type { TransactionRow } from '../state/transaction-store.ts';
import { CheckpointContents, CheckpointSummary, decodeEvents } from './chain-bcs.ts';
import { gasOf } from './gas.ts';
import type { Settlement } from './settlement.ts';
import type {
  BalanceChange,
  CheckpointRecord,
  EventRecord,
  ExecutedTransaction,
  TouchedObject,
  TransactionData,
  TransactionEffectsV2,
  TransactionRecord,
} from './types.ts';

const Signatures = z.array(z.string());
const Amount = z.string().transform((text) => BigInt(text));
const BalanceChanges = z.array(z.tuple([z.string(), z.string(), Amount]));
const Version = z.number().nullable();
const Changes = z.enum([
  'created',
  'mutated',
  'unwrapped',
  'deleted',
  'wrapped',
  'unwrappedThenDeleted',
  'read',
  'loaded',
]);
const Objects = z.array(z.tuple([z.string(), z.string(), Changes, Version, Version]));

/** An executed transaction whose larger parts are parsed when they are first asked for. */
class LazyTransaction implements ExecutedTransaction {
  readonly digest: string;
  readonly bcs: Uint8Array;
  readonly effectsBcs: Uint8Array;
  readonly effectsDigest: string;
  readonly eventsBcs: Uint8Array | undefined;
  readonly eventsDigest: string | undefined;
  readonly failureDescription: string | undefined;
  readonly checkpoint: bigint | undefined;
  readonly transactionIndex: number | undefined;
  readonly timestampMs: number | undefined;
  readonly #row: Pick<TransactionRow, 'signatures' | 'balanceChanges' | 'objects'>;
  #data: TransactionData | undefined;
  #effects: TransactionEffectsV2 | undefined;
  #events: EventRecord[] | undefined;

  constructor(row: Omit<TransactionRow, 'sequence'>, place: Place | undefined) {
    this.digest = row.digest;
    this.bcs = row.bcs;
    this.effectsBcs = row.effectsBcs;
    this.effectsDigest = row.effectsDigest;
    this.eventsBcs = row.eventsBcs;
    this.eventsDigest = row.eventsDigest;
    this.failureDescription = row.failureDescription;
    this.checkpoint = place?.checkpoint;
    this.transactionIndex = place?.transactionIndex;
    this.timestampMs = place?.timestampMs;
    this.#row = row;
  }

  get data(): TransactionData {
    this.#data ??= bcs.TransactionData.parse(this.bcs);
    return this.#data;
  }

  get effects(): TransactionEffectsV2 {
    this.#effects ??= effectsV2(this.effectsBcs);
    return this.#effects;
  }

  get events(): EventRecord[] {
    this.#events ??= this.eventsBcs === undefined ? [] : decodeEvents(this.eventsBcs);
    return this.#events;
  }

  get signatures(): Uint8Array[] {
    const signatures = Signatures.parse(JSON.parse(this.#row.signatures));
    return signatures.map((signature) => new Uint8Array(Buffer.from(signature, 'base64')));
  }

  get balanceChanges(): BalanceChange[] {
    const changes = BalanceChanges.parse(JSON.parse(this.#row.balanceChanges));
    return changes.map(([address, coinType, amount]) => ({ address, coinType, amount }));
  }

  get objects(): TouchedObject[] {
    return Objects.parse(JSON.parse(this.#row.objects)).map(([id, type, change, input, output]) => ({
      id,
      type,
      change,
      inputVersion: input === null ? undefined : BigInt(input),
      outputVersion: output === null ? undefined : BigInt(output),
    }));
  }
}

interface Place {
  checkpoint: bigint;
  transactionIndex: number;
  timestampMs: number;
}

/** The columns of a transaction that its settlement determines. */
export function settledColumns(settlement: Settlement) {
  const { effectsBcs, effectsDigest, eventsBcs, eventsDigest, failureDescription } = settlement;
  const changes = settlement.balanceChanges.map(({ address, coinType, amount }) => [
    address,
    coinType,
    String(amount),
  ]);
  const objects = settlement.objects.map((object) => [
    ...[object.id, object.type, object.change],
    ...[object.inputVersion, object.outputVersion].map((version) =>
      version === undefined ? null : Number(version),
    ),
  ]);
  return {
    effectsBcs,
    effectsDigest,
    eventsBcs,
    eventsDigest,
    failureDescription,
    balanceChanges: JSON.stringify(changes),
    objects: JSON.stringify(objects),
  };
}

export function signaturesColumn(signatures: readonly Uint8Array[]): string {
  return JSON.stringify(signatures.map((signature) => Buffer.from(signature).toString('base64')));
}

/** A transaction outside any checkpoint: executed since the last one, or simulated. */
export function executedTransaction(row: Omit<TransactionRow, 'sequence'>): ExecutedTransaction {
  return new LazyTransaction(row, undefined);
}

/** `timestampMs` of the checkpoint that includes it. */
export function transactionRecord(row: TransactionRow, timestampMs: number): TransactionRecord {
  const { checkpoint, transactionIndex } = row;
  const place = { checkpoint: BigInt(checkpoint), transactionIndex, timestampMs };
  return Object.assign(new LazyTransaction(row, place), place);
}

export function checkpointRecord(row: CheckpointRow): CheckpointRecord {
  const summary = CheckpointSummary.parse(row.summaryBcs);
  const contents = CheckpointContents.parse(row.contentsBcs);
  return {
    sequence: BigInt(row.sequence),
    digest: row.digest,
    previousDigest: summary.previousDigest ?? undefined,
    contentDigest: summary.contentDigest,
    timestampMs: row.timestampMs,
    epoch: BigInt(summary.epoch),
    networkTotalTransactions: BigInt(summary.networkTotalTransactions),
    epochRollingGasCostSummary: gasOf(summary.epochRollingGasCostSummary),
    transactionDigests: contents.V1.transactions.map(({ transaction }) => transaction),
    summaryBcs: row.summaryBcs,
    contentsBcs: row.contentsBcs,
  };
}

function effectsV2(bytes: Uint8Array): TransactionEffectsV2 {
  const { V2 } = bcs.TransactionEffects.parse(bytes);
  if (V2 === undefined) throw new Error('the state file holds effects of another version');
  return V2;
}
