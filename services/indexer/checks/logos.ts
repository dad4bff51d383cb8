import {
  type LogoCheck,
  type LogoOutcome,
  readDueLogo,
  readDueLogos,
  recordLogo,
} from '../../../db/queries/logos.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { decodeDataUrl, type Picture, pictureBytesMax, toPicture } from '../../../lib/pictures/picture.ts';
import { recheckAfterSeconds, retryAfterSeconds } from '../queue/schedule.ts';
import { bound, Slots } from '../queue/slots.ts';
import type { CheckDependencies, DueJobs, WorkQueue } from '../queue/work-queue.ts';

/** Maximum number of logos that are fetched at once. One host, and one package, can use half of them. */
const slotsMax = 4;
const timeoutMs = 10_000;
/** Average number of days until a logo is fetched again. */
const rarelyDays = 30;

/** Fetches the logos of coins, and stores them: the site serves them from its own origin. */
export function logoQueue(
  { db: { pool }, settings: { network }, metrics }: Omit<CheckDependencies, 'providers'>,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): WorkQueue<LogoCheck> {
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<LogoCheck>> {
    const { rows, nextMs } = await readDueLogos(pool, network, limit, turns);
    const waiting = rows.map((job) => ({
      key: `logo ${network} ${job.coinType}`,
      precedence: job.attempts > 1 ? 1 : 0,
      groups: [`host ${job.host}`, job.coinType.slice(0, job.coinType.indexOf('::'))],
      job,
    }));
    return { waiting, nextMs };
  }

  return {
    name: `${network}/logos`,
    partitions: [{ slots: new Slots(slotsMax, [bound(slotsMax / 2), bound(slotsMax / 2)]), due }],
    current: ({ coinType }) => readDueLogo(pool, network, coinType),
    async work({ coinType, attempts, url }) {
      const found = await readPicture(outbound, url, signal);
      const rarely = rarelyDays * recheckAfterSeconds();
      const retryAfter = found.picture === undefined ? retryAfterSeconds(attempts) : null;
      await recordLogo(pool, network, {
        coinType,
        attempts,
        ...found,
        nextAfterSeconds: retryAfter ?? rarely,
      });
      metrics.checks.inc({ network, check: 'logo', state: describeState(found) });
    },
  };
}

type Found = Pick<LogoOutcome, 'picture' | 'error'>;

const describeState = ({ picture }: Found) =>
  picture === undefined ? 'unavailable' : picture === null ? 'absent' : 'found';

async function readPicture(outbound: Outbound, url: string, signal: AbortSignal): Promise<Found> {
  if (url.startsWith('data:')) return judge(decodeDataUrl(url));
  try {
    return judge(toPicture(await outbound.fetchBytes(url, { maxBytes: pictureBytesMax, timeoutMs, signal })));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { picture: error.retryable ? undefined : null, error: error.message };
  }
}

const judge = (picture: Picture | string): Found =>
  typeof picture === 'string' ? { picture: null, error: picture } : { picture, error: null };
