import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { FinalGasCost, GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import type { Claim, LimitExcess } from '../../../db/queries/agent/open-run.ts';
import {
  addLines,
  type NewLines,
  type RunLease,
  type SignedTransaction,
} from '../../../db/queries/agent/runs.ts';
import {
  endRun,
  leaveUnsettled,
  type RunOutcome,
  recordSigned,
  reserveMore,
  type SignatureRecordResult,
  type SigningConditions,
} from '../../../db/queries/agent/settle-run.ts';
import type { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { type RunStep, type RunStepName, runSteps } from '../../../lib/agent/shapes.ts';
import { type PersistOptions, persist } from './persist.ts';
import type { RunTrace } from './trace-run.ts';
import type { Wakers } from './wakers.ts';

/** Another worker has taken over the run: this one must not report anything about it. */
export class RunTakenError extends Error {
  constructor() {
    super('another worker drives the run');
    this.name = 'RunTakenError';
  }
}

interface StepResult {
  detail?: string;
  digest?: string;
}

/** Returns the lines that report a step as done and the next one as active. */
export function buildPassedLines(step: RunStepName, result: StepResult = {}): RunStep[] {
  const next = runSteps[runSteps.indexOf(step) + 1];
  const done: RunStep = { step, status: 'done', ...result };
  const digest = result.digest === undefined ? {} : { digest: result.digest };
  return next ? [done, { step: next, status: 'active', ...digest }] : [done];
}

interface ProgressOptions extends RunLease, PersistOptions {
  db: Pool;
  /** Passes new lines to the followers of the run in this process. */
  wakers: Pick<Wakers, 'publish'>;
  now: () => Date;
  /** Position behind the recorded lines. */
  nextPosition: number;
  step: RunStepName;
  trace?: RunTrace | undefined;
}

/**
 * Records the progress of one run. A finished step is written in the background, at the latest with the next binding
 * write: a reservation, the signature, or the end. Writes fail with RunTakenError once another worker drives the run.
 */
export class Progress {
  readonly #options: ProgressOptions;
  #nextPosition: number;
  #step: RunStepName;
  /** Lines to be written next. */
  #pending: RunStep[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#nextPosition = options.nextPosition;
    this.#step = options.step;
  }

  /** Ends the active step and begins the next one. The lines are written in the background. */
  pass(result?: StepResult): void {
    this.#add(buildPassedLines(this.#step, result));
  }

  /** Ends the step `execute`, unless a worker that drove the run before has ended it. */
  passExecution(digest: string): void {
    if (this.#step === 'execute') this.pass({ digest });
  }

  report(detail: string, digest: string): void {
    this.#add([{ step: this.#step, status: 'active', detail, digest }]);
  }

  /** Resolves when no write is under way. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Reserves more for the run and ends the active step. If a limit has no room for it, returns that limit instead. */
  async passReserving(claims: readonly Claim[]): Promise<LimitExcess | undefined> {
    const { db } = this.#options;
    return await this.#bind(buildPassedLines(this.#step), async (lines) => {
      const excess = await persist(this.#options, () => reserveMore(db, this.#options, claims, lines));
      return { result: excess, isWritten: excess === undefined };
    });
  }

  /** Records the transaction before it is sent, which ends the step `sign`. */
  async sign(
    signed: SignedTransaction,
    conditions: SigningConditions,
    coin: GasCoin,
  ): Promise<Exclude<SignatureRecordResult, 'lost'>> {
    const { db, log, run } = this.#options;
    return await this.#bind(buildPassedLines('sign', { digest: signed.digest }), async (lines) => {
      const record = await recordSigned(db, this.#options, signed, conditions, coin, lines).catch((error) => {
        // It may be recorded. Only a worker that reads the run again can decide how it continues.
        log.warn(
          { run, reason: getErrorMessage(error) },
          'could not store a signature; the run is taken up again',
        );
        return 'lost' as const;
      });
      return { result: record, isWritten: record === 'recorded' };
    });
  }

  /** Ends the last step, and with it the run. */
  async done(spent: RunOutcome['spent'], result: StepResult, gas: FinalGasCost): Promise<void> {
    await this.#end({ state: 'done', code: null, spent, gas }, buildPassedLines(this.#step, result));
  }

  /** Ends the run as failed: nothing left the wallet. `gas` is null where nothing was signed. */
  async fail(failure: RunFailedError, digest?: string, gas: FinalGasCost | null = null): Promise<void> {
    const { code } = failure;
    await this.#end({ state: 'failed', code, spent: [], gas }, [this.#errorLine(failure, digest)]);
  }

  /** Leaves the run unsettled: it may have executed. Its reservations stay until an operator settles it. */
  async leave(failure: RunFailedError, digest: string): Promise<void> {
    const { db } = this.#options;
    await this.#close([this.#errorLine(failure, digest)], (lines) =>
      leaveUnsettled(db, this.#options, digest, lines),
    );
  }

  #errorLine({ code, message: detail }: RunFailedError, digest: string | undefined): RunStep {
    return { step: this.#step, status: 'error', code, detail, ...(digest && { digest }) };
  }

  async #end(ending: Omit<RunOutcome, 'lines'>, last: RunStep[]): Promise<void> {
    const { db } = this.#options;
    await this.#close(last, (lines) => endRun(db, this.#options, { ...ending, lines }));
  }

  async #close(last: RunStep[], write: (lines: NewLines) => Promise<boolean>): Promise<void> {
    await this.#bind(
      last,
      async (lines) => {
        const isWritten = await persist(this.#options, () => write(lines));
        return { result: isWritten ? undefined : ('lost' as const), isWritten };
      },
      true,
    );
  }

  #add(lines: readonly RunStep[]): void {
    this.#pending.push(...lines);
    this.#advance(lines);
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
      const lines = this.#number(this.#pending);
      this.#pending = [];
      const added = await persist(this.#options, () => addLines(db, this.#options, lines));
      if (added === 'lost') throw new RunTakenError();
      this.#publish(lines);
    }
  }

  /** Writes the pending lines and `last` in the statement of `write`. If that stores nothing, they stay pending. */
  async #bind<T>(
    last: readonly RunStep[],
    write: (lines: NewLines) => Promise<{ result: T | 'lost'; isWritten: boolean }>,
    ended = false,
  ): Promise<Exclude<T, 'lost'>> {
    const pending = await this.#takePending();
    const lines = this.#number([...pending, ...last]);
    const { result, isWritten } = await write(lines);
    if (result === 'lost') throw new RunTakenError();
    if (isWritten) {
      this.#advance(last);
      this.#publish(lines, ended);
      if (ended) this.#options.trace?.end(last.at(-1)?.code);
    } else {
      this.#pending = pending;
    }
    return result as Exclude<T, 'lost'>;
  }

  #advance(lines: readonly RunStep[]): void {
    const { step, status } = lines.at(-1)!;
    const isOver = step !== this.#step || status !== 'active';
    if (isOver) this.#options.trace?.endStep(this.#step);
    this.#step = step;
  }

  /** Returns the lines that are not being written yet, after all writes under way have ended. */
  async #takePending(): Promise<RunStep[]> {
    const pending = this.#pending;
    this.#pending = [];
    await this.written();
    return pending;
  }

  #number(lines: readonly RunStep[]): NewLines {
    return { position: this.#nextPosition, lines, at: this.#options.now() };
  }

  #publish({ position, lines }: NewLines, ended = false): void {
    this.#nextPosition = position + lines.length;
    this.#options.wakers.publish(this.#options.run, { position, lines: lines.map(toShown), ended });
  }
}

/** Returns a line with its fields in the order of the lines from the database. */
function toShown({ step, status, code, detail, digest }: RunStep): RunStep {
  const about = { ...(detail !== undefined && { detail }), ...(digest !== undefined && { digest }) };
  return { step, status, ...(code !== undefined && { code }), ...about };
}
