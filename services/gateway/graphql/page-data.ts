import { type DocumentNode, execute, GraphQLError, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { createManifests } from '../../../graphql/manifests.ts';
import { schema } from '../../../graphql/schema.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { IndexWatch } from '../live/watch.ts';

/** Maximum number of pages that are read at once. Rate limits do not count pages, so this keeps connections free for the API. */
export const readsMax = 4;
const waitingMax = 100;
const cachedMax = 200;
const cachedMsMax = 1_000;

const busy = problem('site_busy', 'Too many pages are being made. Try again in a few seconds.');

/**
 * Reads the data of pages by our own queries. A cached result is at most a second old, and never from before the last
 * notification of the index. `context` has all but what each query has by itself.
 */
export function openPageData(
  { reads: pools, ...context }: Omit<GraphContext, 'db' | 'manifests'> & { reads: ReadPools },
  { notifications }: Pick<IndexWatch, 'notifications'>,
) {
  const reads = createSemaphore(readsMax);
  const documents = new Map<string, DocumentNode>();
  const answers = new LRUCache<string, Promise<unknown>>({ max: cachedMax, ttl: cachedMsMax });

  function parseOnce(text: string): DocumentNode {
    const document = documents.get(text) ?? parse(text);
    documents.set(text, document);
    return document;
  }

  async function ask(text: string, variableValues: Record<string, unknown>): Promise<unknown> {
    if (reads.load().waiting >= waitingMax) throw busy;
    const { data, errors } = await reads.run(async () => {
      const db = pools.begin();
      const contextValue: GraphContext = { ...context, db, manifests: createManifests(db) };
      return await execute({ schema, document: parseOnce(text), variableValues, contextValue });
    });
    if (errors?.[0]) throw findOriginalError(errors[0]);
    return data;
  }

  return {
    /** @throws ProblemError if a field fails with one, such as a bad cursor */
    read(document: string, variables: Record<string, unknown>): Promise<unknown> {
      const key = JSON.stringify([notifications(), document, variables]);
      const known = answers.get(key);
      if (known) return known;
      const answer = ask(document, variables);
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      return answer;
    },
  };
}

function findOriginalError(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? findOriginalError(error.originalError)
    : error;
}
