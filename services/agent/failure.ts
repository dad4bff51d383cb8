import { type ActionStep, stepName } from '../../lib/actions/request.ts';
import type { RunCode } from '../../lib/agent/run-codes.ts';

/** Why a run failed. The code and the detail are sent to the caller. */
export class RunFailure extends Error {
  readonly code: RunCode;

  /** @param detail what is wrong and what to do, for people */
  constructor(code: RunCode, detail: string) {
    super(detail);
    this.name = 'RunFailure';
    this.code = code;
  }
}

/** Another worker has taken over the run: this one must not report anything about it. */
export class RunLost extends Error {
  constructor() {
    super('another worker drives the run');
    this.name = 'RunLost';
  }
}

/** The failure of a run whose drafted transaction does not match the request, or cannot be proven to match. */
export function refusal(reason: string): RunFailure {
  return new RunFailure(
    'unexpected_transaction',
    `The drafted transaction does not match the request: ${reason}. Nothing was signed.`,
  );
}

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
export async function inStep<T>(
  steps: readonly ActionStep[],
  place: number,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailure)) throw error;
    throw new RunFailure(error.code, `${stepName(place, steps[place]!)}: ${error.message}`);
  }
}
