import { setTimeout as delay } from 'node:timers/promises';
import { buildRequest } from '../support/build-request.ts';

/** Clients of the gateways that read without pause, and judge each answer. */
export interface ApiClients {
  /** Answers that no client may get, in words, each with the number of times that it came. */
  wrong: ReadonlyMap<string, number>;
  counts: { answered: number; refused: number };
  close(): Promise<void>;
}

const betweenMs = 100;
/** Longer than a failover. */
const patienceMs = 60_000;

const query = '{ adaptors(first: 1) { edges { node { serviceType } } } }';
const requests: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/api/adaptors?limit=1'],
  ['/api/adaptors?q=swap'],
  ['/api/adaptors/events'],
  ['/graphql', buildRequest({ query })],
];

/** The graph answers 200 and names the error, as its fields can fail apart. */
const isRefusal = ({ status, headers }: Response, body: string): boolean =>
  (status === 503 && headers.has('retry-after')) ||
  (status === 200 && body.includes('"code":"database_unavailable"'));

/**
 * Starts a client for each gateway and each request. While the database is away a client may wait, or get 503 with
 * `retry-after`, or the graph's `database_unavailable`. Any other failure is wrong, and so is an answer from an earlier checkpoint than the one before.
 */
export function startApiClients(gateways: readonly string[]): ApiClients {
  const wrong = new Map<string, number>();
  const counts = { answered: 0, refused: 0 };
  const stop = new AbortController();
  const { signal } = stop;
  async function ask(gateway: string, [path, init]: (typeof requests)[number]): Promise<void> {
    const report = (what: string) => wrong.set(`${path}: ${what}`, (wrong.get(`${path}: ${what}`) ?? 0) + 1);
    let last = 0;
    while (!signal.aborted) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      try {
        const answer = await fetch(gateway + path, { ...init, signal: until });
        const body = await answer.text();
        if (answer.ok && !body.includes('"errors"')) {
          counts.answered += 1;
          const checkpoint = Number(answer.headers.get('x-indexed-checkpoint') ?? 0);
          if (checkpoint < last) report('an earlier checkpoint than before');
          last = Math.max(last, checkpoint);
        } else if (isRefusal(answer, body)) counts.refused += 1;
        else report(`${answer.status} ${body.slice(0, 200)}`);
      } catch (error) {
        if (!signal.aborted) report(String(error));
      }
      await delay(betweenMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const running = Promise.all(gateways.flatMap((gateway) => requests.map((one) => ask(gateway, one))));
  return {
    wrong,
    counts,
    async close() {
      stop.abort();
      await running;
    },
  };
}
