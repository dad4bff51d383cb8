import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
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
  /** Tells the followers of the run in this process of what was written. */
  wakers: Pick<Wakers, 'tell'>;
  now: () => Date;
  /** Lines that are recorded already. */
  lineCount: number;
  step: RunStepName;
}

/**
 * Writes down how one run goes. That a step is done is written while the run goes on, and in any case with or before what
 * binds the run: reservations, the signature, the end. Every write fails with RunLost once the run is another worker's.
 */
export class Progress {
  readonly #options: ProgressOptions;
  /** Lines that are written. */
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

  /** The active step is done; the next one begins. It is written soon. */
  pass(result?: StepResult): void {
    this.#add(passed(this.#step, result));
  }

  /** More about the active step. */
  tell(detail: string, digest: string): void {
    this.#add([{ step: this.#step, status: 'active', detail, digest }]);
  }

  /** Resolves when everything is written. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** The active step is done, once more is set aside for the run; else answers the limit that has no room for it. */
  async passReserving(claims: readonly Claim[]): Promise<OverLimit | undefined> {
    const { db } = this.#options;
    return await this.#bind(passed(this.#step), async (lines) => {
      const over = await persist(this.#options, () => reserveMore(db, this.#options, claims, lines));
      return { answer: over, isWritten: over === undefined };
    });
  }

  /**
   * Records the transaction before it is sent, which ends the step `sign`.
   * @param scope of the executor key that asked for the run; null where none did
   */
  async sign(signed: Signed, scope: KeyScope | null, coin: GasCoin): Promise<Exclude<SignedRecord, 'lost'>> {
    const { db, log, run } = this.#options;
    return await this.#bind(passed('sign', { digest: signed.digest }), async (lines) => {
      const record = await recordSigned(db, this.#options, signed, scope, coin, lines).catch((error) => {
        // It may be recorded: only who reads the run again may say how it goes on.
        log.warn({ run, reason: messageOf(error) }, 'could not store a signature; the run is taken up again');
        return 'lost' as const;
      });
      return { answer: record, isWritten: record === 'recorded' };
    });
  }

  /** The last step is done, and with it the run. */
  async done(spent: Ending['spent'], result: StepResult, gas: GasPaid): Promise<void> {
    await this.#end({ state: 'done', code: null, spent, gas }, passed(this.#step, result));
  }

  /**
   * Nothing left the wallet.
   * @param gas null where nothing was signed
   */
  async fail(failure: RunFailure, digest?: string, gas: GasPaid | null = null): Promise<void> {
    const { code } = failure;
    await this.#end({ state: 'failed', code, spent: [], gas }, [this.#errorLine(failure, digest)]);
  }

  /** It may have executed, and no node can say: what it set aside stays so until an operator settles it. */
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
    // Whatever binds the run next meets the failure again, as the run is another worker's then.
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

  /** Writes what is pending and `last` by a statement that does more; where it does not, nothing of both is written. */
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

  /** What is not being written yet, once nothing is. */
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

/** A line with its fields in the order in which the database's are shown. */
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

/** Lines of a run that this process has written, and whether they are its last. */
interface WrittenLines {
  position: number;
  lines: readonly RunStep[];
  ended: boolean;
}

/** Wakes who waits for a notification of the database. */
interface Waker extends Disposable {
  /** Resolves at once if a notification came since it last resolved, else with the next one, or when the signal aborts. */
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
  /** When the run may have new lines. */
  of(run: number): Follower;
  /** When a coin of the payer may have become free. */
  ofCoins(network: string, payer: string): Waker;
  /** For the followers in this process. */
  tell(run: number, written: WrittenLines): void;
  /**
   * Until it is disposed of, `tell` reports all lines of the run after its first ones, so that followers here neither read
   * them nor react to its notifications.
   */
  driving(run: number, first: readonly RunStep[]): Disposable;
  close(): Promise<void>;
}

interface Entry {
  /** Something may be new that nobody here knows of. */
  told: boolean;
  /** How many lines a run has, by the last notification. */
  lineCount: number;
  written: WrittenLines[];
  resolve: (() => void) | undefined;
}

/** One connection that listens for what any process writes of any run and coin. */
export function openWakers(db: Database, log: Logger): Wakers {
  const entries = new Map<string, Set<Entry>>();
  /** What was written of each run that is driven here. */
  const driven = new Map<number, WrittenLines[]>();
  const keyOfRun = (run: number | string) => `${runsChannel} ${run}`;
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
      for (const entry of entries.get(keyOfRun(run)) ?? []) {
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

  /** Resolves when it is so, or when the signal aborts. */
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
      const entry = enter(keyOfRun(run));
      entry.written.push(...(driven.get(run) ?? []));
      const isBehind = (position: number) => !driven.has(run) && entry.lineCount > position;
      return {
        next: (position) => nextOf(entry, position),
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
      for (const entry of entries.get(keyOfRun(run)) ?? []) {
        entry.written.push(written);
        entry.resolve?.();
      }
    },
    driving(run, first) {
      driven.set(run, [{ position: 0, lines: first, ended: false }]);
      return {
        [Symbol.dispose]() {
          driven.delete(run);
          // Another process may have gone on with it.
          for (const entry of entries.get(keyOfRun(run)) ?? []) entry.resolve?.();
        },
      };
    },
    close: () => listener.close(),
  };
}

/** Takes what was written here after the first `position` lines; undefined where the next line is not among it. */
function nextOf({ written }: Entry, position: number): WrittenLines | undefined {
  for (let first = written.shift(); first; first = written.shift()) {
    const known = position - first.position;
    if (known < 0) return undefined;
    const lines = first.lines.slice(known);
    if (lines.length > 0 || first.ended) return { position, lines, ended: first.ended };
  }
  return undefined;
}
