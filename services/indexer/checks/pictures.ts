import {
  type PictureCheck,
  type PictureOutcome,
  readDuePicture,
  readDuePictures,
  recordPicture,
} from '../../../db/queries/pictures.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { decodeDataUrl, type Picture, pictureBytesMax, toPicture } from '../../../lib/pictures/picture.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';

/** Maximum number of pictures that are fetched at once. One host, one package and one publisher can use half of them. */
const slotsMax = 4;
const timeoutMs = 10_000;
/** Average number of days until a picture is fetched again. */
const rarelyDays = 30;

/** Fetches the logos of coins and the icons of publishers, and stores them: the site serves them from its own origin. */
export function createPictureQueue(
  { db: { pool }, settings: { network }, metrics }: Omit<CheckDependencies, 'providers'>,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): WorkQueue<PictureCheck> {
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<PictureCheck>> {
    return queueDue(await readDuePictures(pool, network, limit, turns), (job) => ({
      key: `picture ${network} ${job.subject}`,
      groups: [`host ${job.host}`, job.subject.split('::', 1)[0]!],
    }));
  }

  return {
    name: `${network}/pictures`,
    partitions: [
      { slots: new Slots(slotsMax, [createGroupLimit(slotsMax / 2), createGroupLimit(slotsMax / 2)]), due },
    ],
    current: ({ subject }) => readDuePicture(pool, network, subject),
    async work({ subject, attempts, url }) {
      const result = await fetchPicture(outbound, url, signal);
      const rarely = rarelyDays * computeRecheckSeconds();
      const retryAfter = result.picture === undefined ? computeRetrySeconds(attempts) : null;
      await recordPicture(pool, network, {
        subject,
        url,
        attempts,
        ...result,
        nextAfterSeconds: retryAfter ?? rarely,
      });
      metrics.checks.inc({ network, check: 'picture', state: describeState(result) });
    },
  };
}

type FetchResult = Pick<PictureOutcome, 'picture' | 'error'>;

const describeState = ({ picture }: FetchResult) =>
  picture === undefined ? 'unavailable' : picture === null ? 'absent' : 'found';

async function fetchPicture(outbound: Outbound, url: string, signal: AbortSignal): Promise<FetchResult> {
  if (url.startsWith('data:')) return toResult(decodeDataUrl(url));
  try {
    return toResult(
      toPicture(await outbound.fetchBytes(url, { maxBytes: pictureBytesMax, timeoutMs, signal })),
    );
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { picture: error.retryable ? undefined : null, error: error.message };
  }
}

const toResult = (picture: Picture | string): FetchResult =>
  typeof picture === 'string' ? { picture: null, error: picture } : { picture, error: null };
