import { setTimeout as delay } from 'node:timers/promises';
import { callOptions, lacksListIndex } from '@adaptor-marketplace/adaptor/chain';
import { GrpcTypes } from '@mysten/sui/grpc';
import {
  type Endpoint,
  type Frame,
  type FrameSink,
  type LedgerRange,
  type LedgerReader,
  packagesWritten,
  transactionPaths,
  writtenPath,
} from './follow.ts';
import { type LedgerNode, readStream } from './node.ts';

const probeTimeoutMs = 10_000;

/**
 * Asks the node once whether it can list by filter, and picks how to follow it. Event types of so many package versions
 * that no filter takes them are chosen here.
 */
export async function openEndpoint(
  node: LedgerNode,
  eventTypes: string[],
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): Promise<Endpoint> {
  const indexed = fitsFilter(eventTypes) && (await hasListIndex(node, eventTypes, signal));
  return { node, reader: (indexed ? filteredReader : scanningReader)(node, eventTypes, idleMs) };
}

async function hasListIndex(node: LedgerNode, eventTypes: string[], signal: AbortSignal): Promise<boolean> {
  const { tip } = await node.info(signal);
  const at = BigInt(Math.max(0, tip));
  const request: GrpcTypes.ListTransactionsRequest = {
    readMask: { paths: ['digest'] },
    filter: transactionFilter(eventTypes),
    startCheckpoint: at,
    endCheckpoint: at + 1n,
    options: { limit: 1, ordering: GrpcTypes.Ordering.ASCENDING },
  };
  try {
    await node.client.ledgerService.listTransactions(request, callOptions(probeTimeoutMs, signal));
    return true;
  } catch (error) {
    if (lacksListIndex(error)) return false;
    throw error;
  }
}

const { QueryEndReason, Ordering } = GrpcTypes;

/** The most a node lists per request; it clamps silently. */
const pageSize = 500;
/** A node refuses filters with more literals. */
const literalsMax = 10;
/** How long to wait for a list index that is behind the chain. */
const tipWaitMs = 250;

/**
 * Follows a filter with the node's own index: SubscribeTransactions and ListTransactions.
 * @param eventTypes prefixes of event types (`0x..::registry`), any of which a transaction must have emitted
 */
function filteredReader(node: LedgerNode, eventTypes: string[], idleMs: number): LedgerReader {
  const filter = transactionFilter(eventTypes);
  const { ledgerService, subscriptionService } = node.client;

  async function page(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<PageEnd> {
    const end: PageEnd = { reason: undefined, cursor: range.after };
    const request: GrpcTypes.ListTransactionsRequest = {
      readMask: { paths: transactionPaths() },
      filter,
      // Always an explicit lower bound: an absent one is silently moved up to what the node still keeps.
      startCheckpoint: range.after ? undefined : BigInt(range.from),
      endCheckpoint: BigInt(range.to),
      options: { limit: pageSize, after: range.after, ordering: Ordering.ASCENDING },
    };
    await readStream(
      (options) => ledgerService.listTransactions(request, options),
      (message) => {
        const frame = frameOf(message);
        end.reason = message.end?.reason;
        // The watermark of a cursor bound stands for the bound itself, which this reader never sets.
        end.cursor = frame.cursor ?? end.cursor;
        sink.push(frame);
      },
      { signal, idleMs },
    );
    return end;
  }

  return {
    indexed: true,
    async subscribe(sink, signal) {
      // Only of what comes is it not known yet which packages it upgrades. There are few on a whole chain.
      const request = {
        readMask: { paths: [...transactionPaths(), writtenPath] },
        filter: { terms: [...filter.terms, packageWrites] },
      };
      await readStream(
        (options) => subscriptionService.subscribeTransactions(request, options),
        (message) => sink.push(frameOf(message)),
        { signal, idleMs },
      );
    },
    async history(range, sink, signal) {
      let after = range.after;
      for (;;) {
        await sink.ready();
        const end = await page({ ...range, after }, sink, signal);
        if (end.reason === QueryEndReason.CHECKPOINT_BOUND) return;
        if (end.reason === undefined) throw new Error('the node ended a list without saying why');
        if (end.reason === QueryEndReason.LEDGER_TIP) await delay(tipWaitMs, undefined, { signal });
        after = end.cursor;
      }
    },
  };
}

interface PageEnd {
  reason: GrpcTypes.QueryEndReason | undefined;
  cursor: Uint8Array | undefined;
}

const packageWrites: GrpcTypes.TransactionTerm = {
  literals: [{ negated: false, predicate: { oneofKind: 'packageWrite', packageWrite: {} } }],
};

const packagesOf = (eventTypes: readonly string[]) => [
  ...new Set(eventTypes.map((type) => type.slice(0, type.indexOf('::')))),
];

/** Whether a node's filter takes these event types, beside the one literal for packages that are written. */
const fitsFilter = (eventTypes: readonly string[]) => packagesOf(eventTypes).length < literalsMax;

/**
 * Any of the event types; where they are more than a node takes, any of their packages, which brings more than
 * is wanted.
 * @param eventTypes of which `fitsFilter` is true
 */
function transactionFilter(eventTypes: readonly string[]): GrpcTypes.TransactionFilter {
  const literals = eventTypes.length < literalsMax ? eventTypes : packagesOf(eventTypes);
  const terms = literals.map((eventType) => ({
    literals: [{ negated: false, predicate: { oneofKind: 'eventType' as const, eventType: { eventType } } }],
  }));
  return { terms };
}

function frameOf(message: {
  transaction?: GrpcTypes.ExecutedTransaction;
  watermark?: GrpcTypes.Watermark;
}): Frame {
  const { cursor, checkpoint } = message.watermark ?? {};
  return {
    transaction: message.transaction,
    cursor,
    covered: checkpoint === undefined ? undefined : Number(checkpoint),
  };
}

/** Checkpoints asked for at once; the answers are taken in order. */
const readAhead = 16;
const timeoutMs = 30_000;

/**
 * Follows a filter on a node without the list index, by reading every checkpoint and choosing here. It gives
 * no cursors: whole checkpoints are its unit.
 */
function scanningReader(node: LedgerNode, eventTypes: string[], idleMs: number): LedgerReader {
  const { ledgerService, subscriptionService } = node.client;
  const matches = (type: string) => eventTypes.some((prefix) => type.startsWith(`${prefix}::`));
  // Such a node may not list package versions: what is written shows them, in history too.
  const ofTransactions = [...transactionPaths('transactions.'), `transactions.${writtenPath}`];
  const contents = { paths: ['sequence_number', 'summary.timestamp', ...ofTransactions] };

  async function getCheckpoint(sequence: number, signal: AbortSignal): Promise<GrpcTypes.Checkpoint> {
    const checkpointId = { oneofKind: 'sequenceNumber' as const, sequenceNumber: BigInt(sequence) };
    const request = { checkpointId, readMask: contents };
    const { response } = await ledgerService.getCheckpoint(request, callOptions(timeoutMs, signal));
    if (!response.checkpoint) throw new Error(`the node answered without checkpoint ${sequence}`);
    return response.checkpoint;
  }

  function emit(checkpoint: GrpcTypes.Checkpoint, sequence: number, sink: FrameSink): void {
    checkpoint.transactions.forEach((transaction, index) => {
      const emitted = transaction.events?.events.some((event) => matches(event.eventType ?? ''));
      if (!emitted && packagesWritten(transaction).length === 0) return;
      // Inside a checkpoint, what the checkpoint says for all of them may be left out.
      transaction.checkpoint ??= BigInt(sequence);
      transaction.transactionIndex ??= BigInt(index);
      transaction.timestamp ??= checkpoint.summary?.timestamp;
      sink.push({ transaction });
    });
    sink.push({ covered: sequence });
  }

  return {
    indexed: false,
    async subscribe(sink, signal) {
      // A quiet chain sends no checkpoint for long, so where history ends is asked for.
      const { tip } = await node.info(signal);
      sink.push({ covered: tip });
      let next = tip + 1;
      const bring = async (sequence: number, checkpoint: GrpcTypes.Checkpoint) => {
        // The chain may have grown between the answer and the subscription.
        for (; next < sequence; next++) emit(await getCheckpoint(next, signal), next, sink);
        if (sequence === next) emit(checkpoint, next++, sink);
      };
      const { promise: failed, reject } = Promise.withResolvers<never>();
      let inOrder = Promise.resolve();
      const reading = readStream(
        (options) => subscriptionService.subscribeCheckpoints({ readMask: contents }, options),
        ({ cursor, checkpoint }) => {
          if (cursor === undefined || !checkpoint) return;
          inOrder = inOrder.then(() => bring(Number(cursor), checkpoint)).catch(reject);
        },
        { signal, idleMs },
      );
      await Promise.race([reading.then(() => inOrder), failed]);
    },
    async history(range, sink, signal) {
      const asked: Promise<GrpcTypes.Checkpoint>[] = [];
      let next = range.from;
      for (let sequence = range.from; sequence < range.to; sequence++) {
        await sink.ready();
        while (next < range.to && asked.length < readAhead) {
          const answer = getCheckpoint(next++, signal);
          // It may fail while an earlier one is awaited.
          answer.catch(() => undefined);
          asked.push(answer);
        }
        const checkpoint = await asked.shift();
        if (checkpoint) emit(checkpoint, sequence, sink);
      }
    },
  };
}
