import { setTimeout as delay } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { Frame, FrameSink, LedgerRange, LedgerReader } from './frame.ts';
import { transactionPaths, writtenPath } from './frame.ts';
import type { LedgerNode } from './node.ts';
import { readStream } from './stream.ts';

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
export function filteredReader(node: LedgerNode, eventTypes: string[], idleMs: number): LedgerReader {
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
export const fitsFilter = (eventTypes: readonly string[]) => packagesOf(eventTypes).length < literalsMax;

/**
 * Any of the event types; where they are more than a node takes, any of their packages, which brings more than
 * is wanted.
 * @param eventTypes of which `fitsFilter` is true
 */
export function transactionFilter(eventTypes: readonly string[]): GrpcTypes.TransactionFilter {
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
