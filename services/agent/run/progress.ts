import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { type GasCoin, type GasPaid, gasChannel } from '../../../db/queries/agent/gas-coins.ts';
import type { Claim, OverLimit } from '../../../db/queries/agent/open-run.ts';
import {
  addLines,
  type Driven,
  type NewLines,
  runsChannel,
  type Signed,
} from '../../../db/queries/agent/runs.ts';
import {
  type Ending,
  endRun,
  leaveUnsettled,
  recordSigned,
  reserveMore,
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

/** Details of a step that is done. */
interface StepResult {
  detail?: string;
  digest?: string;
}

/** Returns the lines that report a step as done and the next one as active. */
export function passed(step: RunStepName, result: StepResult = {}): RunStep[] {
  const next = runSteps[runSteps.indexOf(step) + 1];
  const done: RunStep = { step, status: 'done', ...result };
  const digest = result.digest === undefined ? {} : { digest: result.digest };
  return next ? [done, { step: next, status: 'active', ...digest }] : [done];
}

interface ProgressOptions extends Driven, PersistOptions {
  db: Pool;
  /** Passes new lines to the followers of the run in this process. */
  wakers: Pick<Wakers, 'tell'>;
  now: () => Date;
  /** Number of lines that are already recorded. */
  lineCount: number;
  step: RunStepName;
}

/**
 * Records the progress of one run. A finished step is written in the background, at the latest together with the next
 * binding write: a reservation, the signature, or the end. Every write fails with RunLost once another worker drives
 * the run.
 */
export class Progress {
  readonly #options: ProgressOptions;
  /** Number of lines that are written. */
  #lineCount: number;
  #step: RunStepName;
  /** Lines to be written next. */
  #pending: RunStep[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#lineCount = options.lineCount;
    this.#step = options.step;
  }

  /** Ends the active step and begins the next one. The lines are written in the background. */
  pass(result?: StepResult): void {
    this.#add(passed(this.#step, result));
  }

  /** Reports a detail of the active step. */
  tell(detail: string, digest: string): void {
    this.#add([{ step: this.#step, status: 'active', detail, digest }]);
  }

  /** Resolves when everything is written. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Reserves more for the run and ends the active step. If a limit has no room for it, returns that limit instead. */
  async passReserving(claims: readonly Claim[]): Promise<OverLimit | undefined> {
    const { db } = this.#options;
    return await this.#bind(passed(this.#step), async (lines) => {
      const over = await persist(this.#options, () => reserveMore(db, this.#options, claims, lines));
      return { answer: over, isWritten: over === undefined };
    });
  }

  /**
   * Records the transaction before it is sent, which ends the step `sign`.
   * @param scope scope of the executor key that requested the run; null without a key
   */
  async sign(signed: Signed, scope: KeyScope | null, coin: GasCoin): Promise<Exclude<SignedRecord, 'lost'>> {
    const { db, log, run } = this.#options;
    return await this.#bind(passed('sign', { digest: signed.digest }), async (lines) => {
      const record = await recordSigned(db, this.#options, signed, scope, coin, lines).catch((error) => {
        // It may be recorded. Only a worker that reads the run again can decide how it continues.
        log.warn(
          { run, reason: getErrorMessage(error) },
          'could not store a signature; the run is taken up again',
        );
        return 'lost' as const;
      });
      return { answer: record, isWritten: record === 'recorded' };
    });
  }

  /** Ends the last step, and with it the run. */
  async done(spent: Ending['spent'], result: StepResult, gas: GasPaid): Promise<void> {
    await this.#end({ state: 'done', code: null, spent, gas }, passed(this.#step, result));
  }

  /**
   * Ends the run as failed: nothing left the wallet.
   * @param gas null where nothing was signed
   */
  async fail(failure: RunFailure, digest?: string, gas: GasPaid | null = null): Promise<void> {
    const { code } = failure;
    await this.#end({ state: 'failed', code, spent: [], gas }, [this.#errorLine(failure, digest)]);
  }

  /**
   * Leaves the run unsettled: it may have executed, and no node can say. Its reservations stay until an operator
   * settles it.
   */
  async leave(failure: RunFailure, digest: string): Promise<void> {
    const { db } = this.#options;
    await this.#close([this.#errorLine(failure, digest)], (lines) =>
      leaveUnsettled(db, this.#options, lines),
    );
  }

  #errorLine({ code, message: detail }: RunFailure, digest: string | undefined): RunStep {
    return { step: this.#step, status: 'error', code, detail, ...(digest && { digest }) };
  }

  async #end(ending: Omit<Ending, 'lines'>, last: RunStep[]): Promise<void> {
    const { db } = this.#options;
    await this.#close(last, (lines) => endRun(db, this.#options, { ...ending, lines }));
  }

  async #close(last: RunStep[], write: (lines: NewLines) => Promise<boolean>): Promise<void> {
    await this.#bind(
      last,
      async (lines) => {
        const isWritten = await persist(this.#options, () => write(lines));
        return { answer: isWritten ? undefined : ('lost' as const), isWritten };
      },
      true,
    );
  }

  #add(lines: readonly RunStep[]): void {
    this.#pending.push(...lines);
    this.#step = lines.at(-1)?.step ?? this.#step;
    if (this.#writing) return;
    const writing = this.#writePending().finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    this.#writing = writing;
    // The next binding write fails in the same way, because another worker then drives the run.
    writing.catch(() => undefined);
  }

  async #writePending(): Promise<void> {
    const { db } = this.#options;
    while (this.#pending.length > 0) {
      const lines = this.#numbered(this.#pending);
      this.#pending = [];
      const added = await persist(this.#options, () => addLines(db, this.#options, lines));
      if (added === 'lost') throw new RunLost();
      this.#wrote(lines);
    }
  }

  /**
   * Writes the pending lines and `last` in the statement of `write`, which does more. If `write` stores nothing, the
   * pending lines stay pending.
   */
  async #bind<T>(
    last: readonly RunStep[],
    write: (lines: NewLines) => Promise<{ answer: T | 'lost'; isWritten: boolean }>,
    ended = false,
  ): Promise<Exclude<T, 'lost'>> {
    const before = await this.#takePending();
    const lines = this.#numbered([...before, ...last]);
    const { answer, isWritten } = await write(lines);
    if (answer === 'lost') throw new RunLost();
    if (isWritten) {
      this.#step = last.at(-1)?.step ?? this.#step;
      this.#wrote(lines, ended);
    } else {
      this.#pending = before;
    }
    return answer as Exclude<T, 'lost'>;
  }

  /** Returns the lines that are not being written yet, after all writes under way have ended. */
  async #takePending(): Promise<RunStep[]> {
    const pending = this.#pending;
    this.#pending = [];
    await this.written();
    return pending;
  }

  #numbered(lines: readonly RunStep[]): NewLines {
    return { position: this.#lineCount, lines, at: this.#options.now() };
  }

  #wrote({ position, lines }: NewLines, ended = false): void {
    this.#lineCount = position + lines.length;
    this.#options.wakers.tell(this.#options.run, { position, lines: lines.map(asShown), ended });
  }
}

/** Returns a line with its fields in the order of the lines from the database. */
function asShown({ step, status, code, detail, digest }: RunStep): RunStep {
  const about = { ...(detail !== undefined && { detail }), ...(digest !== undefined && { digest }) };
  return { step, status, ...(code !== undefined && { code }), ...about };
}

interface PersistOptions {
  log: Logger;
  run: number;
  /** Aborted when the service closes. */
  signal: AbortSignal;
}

const retryMs = { first: 100, max: 5_000 };

/**
 * Retries a write that must not be lost until the database accepts it: an outage must not leave a run unsettled.
 * `write` is idempotent. Rejects only with the signal's reason.
 */
export async function persist<T>({ log, run, signal }: PersistOptions, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ run, reason: getErrorMessage(error) }, 'could not store a step of a run; trying again');
      await delay(Math.min(retryMs.first * 2 ** attempt, retryMs.max), undefined, { signal });
    }
  }
}

/** Lines of a run that this process has written, and whether they are its last. */
interface WrittenLines {
  position: number;
  lines: readonly RunStep[];
  ended: boolean;
}

/** Waits for notifications of the database. */
interface Waker extends Disposable {
  /**
   * Resolves at once if a notification came since it last resolved, else with the next one, or when the signal aborts.
   */
  woken(signal: AbortSignal): Promise<void>;
}

/** Follows the lines of a run: those that this process writes without the database, others by its notifications. */
interface Follower extends Disposable {
  /** The next lines after the first `position`, if this process wrote them; else they are in the database. */
  next(position: number): WrittenLines | undefined;
  /** Resolves when there may be more than `position` lines, or when the signal aborts. */
  beyond(position: number, signal: AbortSignal): Promise<void>;
}

export interface Wakers {
  /** Follows the lines of a run. */
  of(run: number): Follower;
  /** Wakes when a coin of the payer may have become free. */
  ofCoins(network: string, payer: string): Waker;
  /** Passes new lines to the followers in this process. */
  tell(run: number, written: WrittenLines): void;
  /**
   * Until it is disposed of, `tell` reports all lines of the run after its first ones, so that followers here neither
   * read them nor react to its notifications.
   */
  driving(run: number, first: readonly RunStep[]): Disposable;
  close(): Promise<void>;
}

interface Entry {
  /** `true` if there may be news that this process has not read. */
  told: boolean;
  /** Number of lines of the run, according to the last notification. */
  lineCount: number;
  written: WrittenLines[];
  resolve: (() => void) | undefined;
}

/** One connection that listens for what any process writes of any run and coin. */
export function openWakers(db: Database, log: Logger): Wakers {
  const entries = new Map<string, Set<Entry>>();
  /** Lines of each run that this process drives, by run. */
  const driven = new Map<number, WrittenLines[]>();
  const buildRunKey = (run: number | string) => `${runsChannel} ${run}`;
  const tell = (entry: Entry) => {
    entry.told = true;
    entry.resolve?.();
  };
  const listener = listen({
    url: db.url,
    channels: [runsChannel, gasChannel],
    onNotification(channel, payload) {
      if (channel === gasChannel) {
        entries.get(`${channel} ${payload}`)?.forEach(tell);
        return;
      }
      const [run = '', lineCount] = payload.split(' ');
      for (const entry of entries.get(buildRunKey(run)) ?? []) {
        entry.lineCount = Math.max(entry.lineCount, Number(lineCount));
        if (!driven.has(Number(run))) entry.resolve?.();
      }
    },
    onConnected: () => {
      for (const waiting of entries.values()) waiting.forEach(tell);
    },
    log,
  });

  function enter(key: string): Entry & Disposable {
    const entry: Entry = { told: false, lineCount: 0, written: [], resolve: undefined };
    const waiting = entries.get(key) ?? new Set();
    entries.set(key, waiting.add(entry));
    return Object.assign(entry, {
      [Symbol.dispose]() {
        waiting.delete(entry);
        if (waiting.size === 0) entries.delete(key);
      },
    });
  }

  /** Resolves when `isSo` returns `true`, or when the signal aborts. */
  async function until(isSo: () => boolean, entry: Entry, signal: AbortSignal): Promise<void> {
    while (!isSo() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      entry.resolve = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    }
    entry.told = false;
  }

  return {
    of(run) {
      const entry = enter(buildRunKey(run));
      entry.written.push(...(driven.get(run) ?? []));
      const isBehind = (position: number) => !driven.has(run) && entry.lineCount > position;
      return {
        next: (position) => takeNext(entry, position),
        beyond: (position, signal) =>
          until(() => entry.told || isBehind(position) || entry.written.length > 0, entry, signal),
        [Symbol.dispose]: () => entry[Symbol.dispose](),
      };
    },
    ofCoins(network, payer) {
      const entry = enter(`${gasChannel} ${network} ${payer}`);
      return {
        woken: (signal) => until(() => entry.told, entry, signal),
        [Symbol.dispose]: () => entry[Symbol.dispose](),
      };
    },
    tell(run, written) {
      driven.get(run)?.push(written);
      for (const entry of entries.get(buildRunKey(run)) ?? []) {
        entry.written.push(written);
        entry.resolve?.();
      }
    },
    driving(run, first) {
      driven.set(run, [{ position: 0, lines: first, ended: false }]);
      return {
        [Symbol.dispose]() {
          driven.delete(run);
          // Another process may have continued the run.
          for (const entry of entries.get(buildRunKey(run)) ?? []) entry.resolve?.();
        },
      };
    },
    close: () => listener.close(),
  };
}

/**
 * Takes the lines after the first `position` that this process wrote. Returns `undefined` if the next line is not among
 * them.
 */
function takeNext({ written }: Entry, position: number): WrittenLines | undefined {
  for (let first = written.shift(); first; first = written.shift()) {
    const known = position - first.position;
    if (known < 0) return undefined;
    const lines = first.lines.slice(known);
    if (lines.length > 0 || first.ended) return { position, lines, ended: first.ended };
  }
  return undefined;
}
