import { type ActionStep, stepName } from '../../../lib/actions/request.ts';
import { RunFailure } from '../run/failure.ts';

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
