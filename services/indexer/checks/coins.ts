import { type CoinReader, readCoinInfo } from '@adaptor-marketplace/adaptor/chain';
import { addListedCoins, type CoinOutcome, recordCoins } from '../../../db/queries/catalog/coins.ts';
import { type CoinCheck, readDueCoin, readDueCoins } from '../../../db/queries/coins.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import { storeTogether } from '../queue/together.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';

/** Maximum number of coins that are read at once. One package can use half of them. */
const slotsMax = 4;
const timeoutMs = 10_000;
/** Maximum number of coins in one statement. */
const storedMax = 100;
/** Times that a missing coin is checked again: another replica behind the url may not have a new coin yet. */
const doubtedAttempts = 2;
/** Average number of days until a coin is read again that has no metadata, or about which the node could not answer. */
const rarelyDays = 30;

/** Reads the decimals and the symbols of coins from the chain, each once. */
export function createCoinQueue({
  db: { pool },
  settings,
  metrics,
  providers,
}: CheckDependencies): WorkQueue<CoinCheck> & {
  close(): void;
} {
  const { network } = settings;
  const client = providers.client('check');
  const store = storeTogether<CoinOutcome>((outcomes) => recordCoins(pool, network, outcomes), storedMax);

  const turns = beginTurns();
  /** Revision of the catalog up to which the coins of entries are stored. Each process begins with all entries. */
  let listedUpTo = -1;

  async function due(limit: number): Promise<DueJobs<CoinCheck>> {
    listedUpTo = await addListedCoins(pool, network, listedUpTo);
    return queueDue(await readDueCoins(pool, network, limit, turns), (job) => ({
      key: `coin ${network} ${job.coinType}`,
      groups: [job.coinType.slice(0, job.coinType.indexOf('::'))],
    }));
  }

  return {
    name: `${network}/coins`,
    partitions: [{ slots: new Slots(slotsMax, [createGroupLimit(slotsMax / 2)]), due }],
    close: () => client.close(),
    current: ({ coinType }) => readDueCoin(pool, network, coinType),
    async work(check, slot) {
      const outcome = await checkCoin(client, check);
      if (store.hasRoom) slot.free();
      await store.add(outcome);
      metrics.checks.inc({ network, check: 'coin', state: outcome.state ?? 'unavailable' });
    },
  };
}

async function checkCoin(client: CoinReader, { coinType, attempts }: CoinCheck): Promise<CoinOutcome> {
  const answer = await readCoinInfo(client, coinType, timeoutMs);
  if (answer.status === 'found') {
    return { coinType, attempts, state: 'found', ...answer.value, retryAfterSeconds: null };
  }
  const rarely = rarelyDays * computeRecheckSeconds();
  const isAbsent = answer.status === 'absent';
  const retryAfterSeconds =
    isAbsent && attempts > doubtedAttempts ? rarely : (computeRetrySeconds(attempts) ?? rarely);
  return {
    coinType,
    attempts,
    symbol: null,
    decimals: null,
    name: null,
    iconUrl: null,
    state: isAbsent ? 'absent' : null,
    retryAfterSeconds,
  };
}
