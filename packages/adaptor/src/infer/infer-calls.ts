import type { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeAddress } from '../chain/names.ts';
import type { IntrospectedOp } from '../introspect/types.ts';
import {
  CallIndexMissingError,
  type HistoryBounds,
  type Interruption,
  type TransactionLister,
  visitHistory,
} from './history.ts';
import type { Inference } from './inference.ts';
import { listCalls } from './past-call.ts';
import { createSequenceTally } from './sequence.ts';
import { createTally } from './tally.ts';

/** The function whose past calls are examined. */
export interface InferTarget {
  packageId: string;
  /** Storage ids of the package versions whose calls count. A node indexes calls by the id that was called. */
  versionIds: readonly string[];
  op: Pick<IntrospectedOp, 'module' | 'entry' | 'params' | 'typeParamCount'>;
}

/** Cost bounds of one inference. */
export interface InferBounds extends HistoryBounds {
  /** Maximum number of calls that are counted. */
  samples: number;
}

/** Signals and bounds of one inference. Default bounds: `inferBounds`. */
export interface InferOptions extends Interruption {
  bounds?: InferBounds;
}

/** Error of a search that ended early and before it found any past call. */
export class InferenceFailedError extends Error {
  readonly reason: 'late' | 'unavailable' | 'no_index';

  constructor(reason: 'late' | 'unavailable' | 'no_index', message: string) {
    super(message);
    this.name = 'InferenceFailedError';
    this.reason = reason;
  }
}

/** The default bounds: 2,000 calls in 1,000 transactions, 10 requests and 16 MiB. */
export const inferBounds: InferBounds = {
  samples: 2_000,
  transactions: 1_000,
  pages: 10,
  bytes: 16 * 1024 * 1024,
};

/**
 * Finds what the past calls of a function show about its arguments. It reads the latest calls, as many as the bounds
 * allow. Failed transactions do not count.
 * @throws InferenceFailedError if the time was up, or the node failed, before any call was found; the signal's reason
 */
export async function inferCalls(
  node: TransactionLister,
  { packageId, versionIds, op }: InferTarget,
  { signal, deadline, bounds = inferBounds }: InferOptions,
): Promise<Inference> {
  const functions = versionIds.map((id) => `${normalizeAddress(id)}::${op.module}::${op.entry}`);
  const called = new Set(functions);
  const params = op.params.filter(({ role }) => role !== 'ctx');
  const tally = createTally(params, op.typeParamCount);
  const sequences = createSequenceTally(new Set(versionIds.map((id) => normalizeAddress(id) ?? id)));
  let left = bounds.samples;

  function visit(transaction: GrpcTypes.ExecutedTransaction): boolean {
    for (const call of listCalls(transaction, called)) {
      if (--left < 0) return false;
      tally.add(call);
      sequences.add(call);
    }
    return true;
  }

  const end = await visitHistory(node, functions, bounds, { signal, deadline }, visit).catch(
    rethrowMissingIndex,
  );
  const counts = tally.counts();
  if (counts.samples === 0 && end === 'late')
    throw new InferenceFailedError('late', 'The node took too long.');
  if (counts.samples === 0 && end === 'broken') {
    throw new InferenceFailedError('unavailable', 'The node could not answer.');
  }
  const { module, entry } = op;
  const sequence = sequences.sequence();
  return { packageId, module, entry, ...counts, sequence, truncated: end !== 'complete' };
}

function rethrowMissingIndex(error: unknown): never {
  if (!(error instanceof CallIndexMissingError)) throw error;
  throw new InferenceFailedError(
    'no_index',
    'The node keeps no index of the functions that transactions call.',
  );
}
