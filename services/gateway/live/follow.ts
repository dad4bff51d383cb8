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
  concerns?: (payload: string, channel: string) => boolean;
  look(): Promise<void>;
  failed: string;
  /** Log message of the first success after a failure. Default: none. */
  recovered?: string;
}

/** Looks at the database after each notification, and each second, because notifications can get lost. */
export function follow(
  db: Database,
  log: Logger,
  { channels, concerns, look, failed, recovered }: FollowOptions,
) {
  let failing = false;
  const lookAgain = coalesce(async () => {
    try {
      await look();
      if (failing && recovered !== undefined) log.info(recovered);
      failing = false;
    } catch (error) {
      // Logged once, because the poll would repeat it every second.
      if (!failing) log.warn({ reason: getErrorMessage(error) }, failed);
      failing = true;
    }
  });
  const timer = setInterval(lookAgain, pollMs);
  const listener = listen({
    url: db.directUrl,
    channels,
    onNotification: (channel, payload) => (concerns?.(payload, channel) ?? true) && lookAgain(),
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
