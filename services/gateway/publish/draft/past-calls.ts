import type { Inference } from '@adaptor-marketplace/adaptor/infer';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect';
import { ProblemError } from '../../../../lib/errors/index.ts';
import type { PublishChain } from '../chain.ts';
import type { Inferences } from '../infer.ts';

interface PastCallsQuestion {
  packageId: string;
  ops: readonly IntrospectedOp[];
  /** Whether calls to other versions of the package count too. */
  allVersions: boolean;
}

type PastCalls = Map<string, Inference | { unknown: string }>;

/** For all ops of a draft together. */
const deadlineMs = 30_000;
const opsMax = 64;
const atOnce = 4;

/**
 * What past calls say about each of the ops, by its `fqn`: for the first of them as many as the time allows.
 * @throws ProblemError where the node did not answer for a single one
 */
export async function readPastCalls(
  inferences: Inferences,
  chain: PublishChain,
  { packageId, ops, allVersions }: PastCallsQuestion,
  signal: AbortSignal,
): Promise<PastCalls> {
  const found: PastCalls = new Map();
  const failures: ProblemError[] = [];
  const deadline = AbortSignal.timeout(deadlineMs);
  const bounded = AbortSignal.any([signal, deadline]);

  async function read(op: IntrospectedOp): Promise<Inference | { unknown: string }> {
    if (deadline.aborted) return noTime;
    try {
      return await inferences(chain, { packageId, op, allVersions }, bounded);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return noTime;
      if (!(error instanceof ProblemError)) throw error;
      failures.push(error);
      return { unknown: error.message };
    }
  }

  const waiting = ops.slice(0, opsMax).values();
  const worker = async () => {
    for (const op of waiting) found.set(op.fqn, await read(op));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const op of ops.slice(opsMax)) found.set(op.fqn, { unknown: `Only ${opsMax} ops are looked up.` });
  const [failure] = failures;
  // A node that keeps no index of calls is asked in vain, and a draft is still of use.
  if (failure && failures.length === found.size && failure.code !== 'call_index_missing') throw failure;
  return found;
}

const noTime = { unknown: 'There was no time left.' };
