import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import type { Claim, OverLimit } from '../../../db/queries/agent/open-run.ts';
import { addLines, runsChannel } from '../../../db/queries/agent/runs.ts';
import {
  type Driven,
  type Ending,
  endRun,
  leaveUnsettled,
  recordSigned,
  reserveMore,
  type Signed,
  type SignedRecord,
} from '../../../db/queries/agent/settle-run.ts';
import type { KeyScope } from '../../../db/schema/agent-access.ts';
import type { RunFailure } from '../../../lib/agent/run-failure.ts';
import { type RunStep, type RunStepName, runSteps } from '../../../lib/agent/shapes.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Another worker has taken over the run: this one must not report anything about it. */
export class RunLost extends Error {
  constructor() {
    super('another worker drives the run');
    this.name = 'RunLost';
  }
}

/** What is found or known when a step is done. */
interface StepResult {
  detail?: string;
  digest?: string;
}

/** Lines that say that a step is done and the next one begins. */
export function passed(step: RunStepName, result: StepResult = {}): RunStep[] {
  const next = runSteps[runSteps.indexOf(step) + 1];
  const done: RunStep = { step, status: 'done', ...result };
  const digest = result.digest === undefined ? {} : { digest: result.digest };
  return next ? [done, { step: next, status: 'active', ...digest }] : [done];
}

interface ProgressOptions extends Driven, PersistOptions {
  db: Pool;
  now: () => Date;
  /** Lines that are recorded already. */
  lineCount: number;
  /** The step that is active. */
  step: RunStepName;
}

/** Writes down how one run goes. Every write fails with RunLost once the run is another worker's. */
export class Progress {
  readonly #options: ProgressOptions;
  #lineCount: number;
  #step: RunStepName;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#lineCount = options.lineCount;
    this.#step = options.step;
  }

  /** The active step is done; the next one begins. */
  async pass(result?: StepResult): Promise<void> {
    const lines = passed(this.#step, result);
    await this.#write(lines);
    this.#advance(lines);
  }

  /** As `pass`, once more is set aside for the run; else answers the limit that has no room for it. */
  async passReserving(claims: readonly Claim[]): Promise<OverLimit | undefined> {
    const { db, now } = this.#options;
    const lines = passed(this.#step);
    const over = await persist(this.#options, () =>
      reserveMore(db, this.#options, claims, { position: this.#lineCount, lines, at: now() }),
    );
    if (over === 'lost') throw new RunLost();
    if (!over) this.#advance(lines);
    return over;
  }

  /** More about the active step. */
  async tell(detail: string, digest: string): Promise<void> {
    const lines: RunStep[] = [{ step: this.#step, status: 'active', detail, digest }];
    await this.#write(lines);
    this.#lineCount += lines.length;
  }

  /**
   * Records the transaction before it is sent, which ends the step `sign`.
   * @param scope of the executor key that asked for the run; null where none did
   */
  async sign(signed: Signed, scope: KeyScope | null): Promise<Exclude<SignedRecord, 'lost'>> {
    const { db, now } = this.#options;
    const lines = passed('sign', { digest: signed.digest });
    const record = await recordSigned(db, this.#options, signed, scope, {
      ...{ position: this.#lineCount, lines, at: now() },
    });
    if (record === 'lost') throw new RunLost();
    if (record === 'recorded') this.#advance(lines);
    return record;
  }

  /** The last step is done, and with it the run. */
  async done(spent: Ending['spent'], result: StepResult, gasCharged: bigint): Promise<void> {
    await this.#end({ state: 'done', code: null, spent, gasCharged }, passed(this.#step, result));
  }

  /**
   * Nothing left the wallet.
   * @param gasCharged null where nothing was signed
   */
  async fail(
    { code, message: detail }: RunFailure,
    digest?: string,
    gasCharged: bigint | null = null,
  ): Promise<void> {
    const line: RunStep = { step: this.#step, status: 'error', detail, ...(digest && { digest }) };
    await this.#end({ state: 'failed', code, spent: [], gasCharged }, [line]);
  }

  /** It may have executed, and no node can say: what it set aside stays so until an operator settles it. */
  async leave({ message: detail }: RunFailure, digest: string): Promise<void> {
    const { db, now } = this.#options;
    const line: RunStep = { step: this.#step, status: 'error', detail, digest };
    const lines = { position: this.#lineCount, lines: [line], at: now() };
    if (!(await persist(this.#options, () => leaveUnsettled(db, this.#options, lines)))) throw new RunLost();
  }

  /** What says that the active step is done was written: the next one is active. */
  #advance(lines: readonly RunStep[]): void {
    this.#lineCount += lines.length;
    this.#step = lines.at(-1)?.step ?? this.#step;
  }

  async #write(lines: RunStep[]): Promise<void> {
    const { db, run, worker, now } = this.#options;
    const written = await persist(this.#options, () =>
      addLines(db, run, worker, { position: this.#lineCount, lines, at: now() }),
    );
    if (!written) throw new RunLost();
  }

  async #end(ending: Omit<Ending, 'lines'>, lines: RunStep[]): Promise<void> {
    const { db, now } = this.#options;
    const end = { ...ending, lines: { position: this.#lineCount, lines, at: now() } };
    if (!(await persist(this.#options, () => endRun(db, this.#options, end)))) throw new RunLost();
  }
}

interface PersistOptions {
  log: Logger;
  run: number;
  /** Aborted when the service closes. */
  signal: AbortSignal;
}

const retryMs = { first: 100, max: 5_000 };

/**
 * Writes what must not be lost, and tries until the database takes it: an outage must not leave a run unsettled.
 * `write` does the same however often it is called. Rejects only with the signal's reason.
 */
export async function persist<T>({ log, run, signal }: PersistOptions, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ run, reason: messageOf(error) }, 'could not store a step of a run; trying again');
      await delay(Math.min(retryMs.first * 2 ** attempt, retryMs.max), undefined, { signal });
    }
  }
}

/** Wakes a follower of a run when the run may have new lines. */
interface Waker extends Disposable {
  /** Resolves at once if a notification came since it last resolved, else with the next one, or when the signal aborts. */
  woken(signal: AbortSignal): Promise<void>;
}

export interface Wakers {
  of(run: number): Waker;
  close(): Promise<void>;
}

interface Entry {
  told: boolean;
  resolve: (() => void) | undefined;
}

/** One connection that listens for what any process writes of any run. */
export function openWakers(db: Database, log: Logger): Wakers {
  const entries = new Map<number, Set<Entry>>();
  const tell = (entry: Entry) => {
    entry.told = true;
    entry.resolve?.();
  };
  const listener = listen({
    url: db.url,
    channels: [runsChannel],
    onNotification: (_channel, run) => entries.get(Number(run))?.forEach(tell),
    onConnected: () => {
      for (const waiting of entries.values()) waiting.forEach(tell);
    },
    log,
  });
  return {
    of(run) {
      const entry: Entry = { told: false, resolve: undefined };
      const waiting = entries.get(run) ?? new Set();
      entries.set(run, waiting.add(entry));
      return {
        async woken(signal) {
          if (!entry.told && !signal.aborted) {
            await new Promise<void>((resolve) => {
              entry.resolve = resolve;
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
          }
          entry.told = false;
        },
        [Symbol.dispose]() {
          waiting.delete(entry);
          if (waiting.size === 0) entries.delete(run);
        },
      };
    },
    close: () => listener.close(),
  };
}
