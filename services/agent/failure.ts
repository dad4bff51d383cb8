import { type ActionStep, stepName } from '../../lib/actions/request.ts';
import type { RunCode } from '../../lib/agent/run-codes.ts';

/** Why a run ends without having done what was asked. Both reach the caller. */
export class RunFailure extends Error {
  readonly code: RunCode;

  /** @param detail what is wrong and what to do, for people */
  constructor(code: RunCode, detail: string) {
    super(detail);
    this.name = 'RunFailure';
    this.code = code;
  }
}

/** The run is another worker's by now: whoever drove it has nothing more to say of it. */
export class RunLost extends Error {
  constructor() {
    super('another worker drives the run');
    this.name = 'RunLost';
  }
}

/** The transaction is not the one that was asked for, or cannot be told to be. */
export function refusal(reason: string): RunFailure {
  return new RunFailure(
    'unexpected_transaction',
    `The tool service drafted another transaction than was asked for: ${reason}. Nothing was signed.`,
  );
}

/** Names the step in what `check` fails with, where the request has several. */
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
