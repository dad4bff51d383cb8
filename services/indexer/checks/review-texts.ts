import { Agent } from 'undici';
import {
  readDueText,
  readDueTexts,
  recordText,
  type TextCheck,
  type TextOutcome,
} from '../../../db/queries/review-texts.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { readReviewText, reviewTextBytesMax } from '../../../lib/manifests/review-text.ts';
import { parseManifestUri } from '../../../lib/manifests/source.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import { readBlob } from '../../../lib/walrus/blobs.ts';
import { computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';

/** Maximum number of texts that are fetched at once. One attester can use half of them. */
const slotsMax = 4;
const timeoutMs = 10_000;

/**
 * Fetches the texts of reviews from the network's Walrus aggregator, each once. The aggregator, which the operator
 * chooses, compares a blob with its id. Other uris are not fetched: what they show can change after the review.
 */
export function createReviewTextQueue(
  { db: { pool }, settings: { network, aggregatorUrl }, metrics }: Omit<CheckDependencies, 'providers'>,
  signal: AbortSignal,
): WorkQueue<TextCheck> & { close(): Promise<void> } {
  const turns = beginTurns();
  // No address guard: in development the aggregator is a local one.
  const aggregator = new Agent({ connections: slotsMax, pipelining: 1 });

  async function due(limit: number): Promise<DueJobs<TextCheck>> {
    return queueDue(await readDueTexts(pool, network, limit, turns), (job) => ({
      key: `review text ${network} ${job.uri}`,
      groups: [job.attester],
    }));
  }

  async function fetchText({ uri, attempts }: TextCheck): Promise<Omit<TextOutcome, 'uri' | 'attempts'>> {
    const parsed = parseManifestUri(uri);
    if (!('kind' in parsed && parsed.kind === 'walrus')) throw new Error(`${uri} names no Walrus blob.`);
    try {
      const bounds = { maxBytes: reviewTextBytesMax, timeoutMs, signal };
      const read = readReviewText(await readBlob(aggregator, aggregatorUrl, parsed.blobId, bounds));
      return 'error' in read
        ? { body: null, error: read.error, retryAfterSeconds: null }
        : { body: read.text, error: null, retryAfterSeconds: null };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const retry = error.retryable ? computeRetrySeconds(attempts) : null;
      return { body: null, error: error.message.slice(0, 1_000), retryAfterSeconds: retry };
    }
  }

  return {
    name: `${network}/review-texts`,
    partitions: [{ slots: new Slots(slotsMax, [createGroupLimit(slotsMax / 2)]), due }],
    close: () => aggregator.destroy(),
    current: ({ uri }) => readDueText(pool, network, uri),
    async work(job) {
      const outcome = await fetchText(job);
      await recordText(pool, network, { uri: job.uri, attempts: job.attempts, ...outcome });
      const missing = outcome.retryAfterSeconds === null ? 'absent' : 'unavailable';
      metrics.checks.inc({ network, check: 'review text', state: outcome.body === null ? missing : 'found' });
    },
  };
}
