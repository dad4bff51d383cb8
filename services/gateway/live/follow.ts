import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { coalesce } from '../../../lib/concurrency/single-flight.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Interval of the poll. It updates the state, and finds a change whose notification was lost. */
const pollMs = 1_000;

interface FollowOptions {
  channels: readonly string[];
  /** Returns `true` if a notification with this payload needs a look. Default: each does. */
  isRelevant?: (payload: string, channel: string) => boolean;
  look(): Promise<void>;
  /** Log message of the first failure after a success. */
  failureMessage: string;
  /** Log message of the first success after a failure. Default: none. */
  recoveryMessage?: string;
}

/** Looks at the database after each notification, and each second, because notifications can get lost. */
export function follow(
  db: Database,
  log: Logger,
  { channels, isRelevant, look, failureMessage, recoveryMessage }: FollowOptions,
) {
  let isFailing = false;
  const lookAgain = coalesce(async () => {
    try {
      await look();
      if (isFailing && recoveryMessage !== undefined) log.info(recoveryMessage);
      isFailing = false;
    } catch (error) {
      // Logged once, because the poll would repeat it every second.
      if (!isFailing) log.warn({ reason: getErrorMessage(error) }, failureMessage);
      isFailing = true;
    }
  });
  const timer = setInterval(lookAgain, pollMs);
  const listener = listen({
    url: db.directUrl,
    channels,
    onNotification: (channel, payload) => (isRelevant?.(payload, channel) ?? true) && lookAgain(),
    onConnected: lookAgain,
    log,
  });
  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await listener.close();
      await lookAgain();
    },
  };
}
