import { isLate } from '@adaptor-marketplace/adaptor/chain';
import {
  type FoundOp,
  findOp,
  type Inference,
  InferenceFailedError,
  inferCalls,
  inferenceSchema,
  latestVersions,
} from '@adaptor-marketplace/adaptor/infer';
import { type IntrospectedOp, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import { z } from 'zod';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { nodeProblem, ProblemError, problem } from '../../../lib/errors/index.ts';
import { createCachedWork } from '../concurrency/shared-work.ts';
import {
  addressParameter,
  atMs,
  digest,
  id,
  networkField,
  owner,
  packageId,
  publisher,
} from '../openapi/parts.ts';
import { createPublishRoute, type PublishChain, type PublishDependencies } from './route.ts';

const entry = z
  .string()
  .max(258)
  .regex(/^(\w+::)?\w+$/, 'expected function or module::function')
  .meta({ description: 'A function, with its module where several modules have one of that name.' });

export const inferenceBody = inferenceSchema.meta({ id: 'Inference' });

/** An argument of which past calls show nothing. */
const noCandidates = {
  objectCandidates: [],
  singleton: null,
  singletonFrom: null,
  pureCandidates: [],
  distinct: 0,
  owned: 0,
  results: 0,
};

export interface InferDependencies extends PublishDependencies {
  inferences: Inferences;
}

export const inferCall = createPublishRoute({
  path: '/api/adaptors/infer',
  body: z.object({
    packageId: addressParameter,
    entry,
    network: networkField,
    allVersions: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether calls to other versions of the package count too: the nine latest.' }),
  }),
  response: inferenceBody,
  operation: {
    operationId: 'inferCall',
    summary: "Infer a function's arguments from its past calls",
    description:
      'Objects, values and type arguments of the latest successful calls, within limits of time and number. The result ' +
      'of an earlier command, an object that belonged to the sender, and the wallets of others are not candidates.',
    refusals: ['function_not_found', 'function_ambiguous', 'function_not_callable', 'call_index_missing'],
    example: {
      request: { packageId, entry: 'tip_jar::tip' },
      answer: {
        packageId,
        module: 'tip_jar',
        entry: 'tip',
        args: [
          noCandidates,
          {
            ...noCandidates,
            objectCandidates: [
              {
                objectId: id('2'),
                kind: 'shared',
                type: `${packageId}::tip_jar::Jar`,
                initialSharedVersion: '7',
                mutable: true,
                count: 3,
                lastMs: atMs,
              },
            ],
            singleton: id('2'),
            singletonFrom: {
              calls: 3,
              senders: 2,
              latest: [owner, publisher].map((sender) => ({ sender, digest })),
            },
            distinct: 1,
          },
          {
            ...noCandidates,
            pureCandidates: [{ type: 'u64', value: '5000000', count: 2, lastMs: atMs }],
            distinct: 2,
          },
          noCandidates,
        ],
        sampleTypeArgs: [],
        typeArgCandidates: [],
        samples: 3,
        sequence: null,
        truncated: false,
      },
    },
  },
  async answer({ body, chain, signal }, { inferences }: InferDependencies): Promise<Inference> {
    const { packageId, entry, allVersions } = body;
    const introspection = await chain.introspect(packageId, signal);
    const op = requireCallable(findOp(introspection, entry), entry);
    return inferences(chain, { packageId, op, allVersions }, signal);
  },
});

/** @throws ProblemError 422 unless the name stands for exactly one function that a transaction can call */
function requireCallable(found: FoundOp, entry: string): IntrospectedOp {
  if (found.status === 'found') return found.op;
  if (found.status === 'unknown') {
    throw problem(
      'function_not_found',
      `The package has no function ${entry}. POST /api/adaptors/introspect lists its functions.`,
    );
  }
  const names = found.names.slice(0, namesMax).join(', ');
  if (found.status === 'uncallable') {
    throw problem('function_not_callable', `No transaction can call ${names}: neither public nor entry.`);
  }
  throw problem('function_ambiguous', `Several modules have a function ${entry}. Name one of ${names}.`);
}

const namesMax = 50;

interface InferQuery {
  /** Normalized to its long form. */
  packageId: string;
  op: IntrospectedOp;
  /** `true` if calls to other versions of the package count too. */
  allVersions: boolean;
}

/**
 * Infers an op's arguments from its past calls. A result is cached for a minute, and concurrent callers share one read.
 * @throws ProblemError 502, 503 or 504 if the node does not answer; the signal's reason
 */
export type Inferences = (
  chain: PublishChain,
  question: InferQuery,
  signal: AbortSignal,
) => Promise<Inference>;

/** Time limit of one inference. The result has what was found until then. */
const callDeadlineMs = 8_000;

export function createInferences(): Inferences {
  const cached = createCachedWork<Inference>({
    running: 8,
    waiting: 256,
    waitMs: 5_000,
    // Only a node that ignores the abort takes this long.
    deadlineMs: callDeadlineMs + 5_000,
    ttlMs: 60_000,
    bytesMax: 32 * 1024 * 1024,
    estimateBytes: (inference) => JSON.stringify(inference).length,
  });
  return (chain, { packageId, op, allVersions }, signal) => {
    const key = [chain.settings.network, packageId, op.module, op.entry, allVersions].join(' ');
    return cached(key, signal, async (workSignal) => {
      const deadline = AbortSignal.timeout(callDeadlineMs);
      const versionIds = allVersions ? await fetchVersionIds(chain, packageId, workSignal) : [packageId];
      const target = { packageId, versionIds, op };
      return inferCalls(chain.client, target, { signal: workSignal, deadline }).catch((error: unknown) => {
        throw error instanceof InferenceFailedError ? toProblem(error) : error;
      });
    });
  };
}

async function fetchVersionIds(
  { client }: PublishChain,
  packageId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const answer = await latestVersions(client, packageId, signal);
  if (answer.status === 'found') return answer.value;
  if (answer.status === 'unavailable') throw nodeProblem(isLate(answer));
  throw new PackageUnreadableError('absent', packageId, `There is no package ${packageId} on this network.`);
}

function toProblem({ reason }: InferenceFailedError): ProblemError {
  if (reason !== 'no_index') return nodeProblem(reason === 'late');
  return problem(
    'call_index_missing',
    "The network's node keeps no index of past calls, so nothing can be inferred. You can still name fixed objects " +
      'and values yourself.',
  );
}

interface PastCallsQuery {
  packageId: string;
  ops: readonly IntrospectedOp[];
  allVersions: boolean;
}

type PastCalls = Map<string, Inference | { unknown: string }>;

/** Time limit for all ops of a draft together. */
const draftDeadlineMs = 30_000;
const opsMax = 64;
/** Maximum number of ops that are looked up at once. */
const lookupsMax = 4;

/**
 * Infers the arguments of the ops by `fqn`, or the reason why an op has none in `unknown`.
 * @throws ProblemError if the node failed for every op, except for lack of an index of past calls
 */
export async function readPastCalls(
  inferences: Inferences,
  chain: PublishChain,
  { packageId, ops, allVersions }: PastCallsQuery,
  signal: AbortSignal,
): Promise<PastCalls> {
  const found: PastCalls = new Map();
  const failures: ProblemError[] = [];
  const deadline = AbortSignal.timeout(draftDeadlineMs);
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

  const slots = createSemaphore(lookupsMax);
  await Promise.all(
    ops.slice(0, opsMax).map((op) => slots.run(async () => found.set(op.fqn, await read(op)))),
  );
  for (const op of ops.slice(opsMax)) found.set(op.fqn, { unknown: `Only ${opsMax} ops are looked up.` });
  const [failure] = failures;
  // A draft is still useful if the node has no index of past calls.
  if (failure && failures.length === found.size && failure.code !== 'call_index_missing') throw failure;
  return found;
}

const noTime = { unknown: 'There was no time left.' };
