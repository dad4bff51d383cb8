import { isLate } from '@adaptor-marketplace/adaptor/chain/answers';
import { InferError, inferCalls } from '@adaptor-marketplace/adaptor/infer/infer-calls';
import type { Inference } from '@adaptor-marketplace/adaptor/infer/inference';
import { latestVersions } from '@adaptor-marketplace/adaptor/infer/versions';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect/types';
import { PackageError } from '@adaptor-marketplace/adaptor/packages/source';
import { nodeProblem } from '../../../lib/chain/node/problem.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { cachedWork } from '../shared-work.ts';
import type { PublishChain } from './host.ts';

export interface InferQuestion {
  /** Canonical. */
  packageId: string;
  op: IntrospectedOp;
  /** Whether calls to other versions of the package count too. */
  allVersions: boolean;
}

/**
 * What past calls say about an op's arguments; kept for a minute, and shared by all who ask at once.
 * @throws ProblemError 502, 503 or 504 where the node does not say; the signal's reason
 */
export type Inferences = (
  chain: PublishChain,
  question: InferQuestion,
  signal: AbortSignal,
) => Promise<Inference>;

/** After it, what was found so far is the answer. */
const deadlineMs = 8_000;

export function inferences(): Inferences {
  const cached = cachedWork<Inference>({
    ...{ running: 8, waiting: 256, waitMs: 5_000 },
    // Only a node that does not even let go comes so far.
    deadlineMs: deadlineMs + 5_000,
    ttlMs: 60_000,
    bytesMax: 32 * 1024 * 1024,
    bytesOf: (inference) => JSON.stringify(inference).length,
  });
  return (chain, { packageId, op, allVersions }, signal) => {
    const key = [chain.settings.network, packageId, op.module, op.entry, allVersions].join(' ');
    return cached(key, signal, async (workSignal) => {
      const deadline = AbortSignal.timeout(deadlineMs);
      const versionIds = allVersions ? await versionsOf(chain, packageId, workSignal) : [packageId];
      const target = { packageId, versionIds, op };
      return inferCalls(chain.client, target, { signal: workSignal, deadline }).catch((error: unknown) => {
        throw error instanceof InferError ? problemOf(error) : error;
      });
    });
  };
}

async function versionsOf(
  { client }: PublishChain,
  packageId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const answer = await latestVersions(client, packageId, signal);
  if (answer.status === 'found') return answer.value;
  if (answer.status === 'unavailable') throw nodeProblem(isLate(answer));
  throw new PackageError('absent', packageId, `There is no package ${packageId} on this network.`);
}

function problemOf({ reason }: InferError): ProblemError {
  if (reason !== 'no_index') return nodeProblem(reason === 'late');
  return problem(
    'call_index_missing',
    "The network's node keeps no index of past calls, so nothing can be inferred. You can still name fixed objects " +
      'and values yourself.',
  );
}
