import { type ActionStep, stepName } from '../../../lib/actions/request.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
export async function nameFailedStep<T>(
  steps: readonly ActionStep[],
  index: number,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailedError)) throw error;
    throw new RunFailedError(error.code, `${stepName(index, steps[index]!)}: ${error.message}`);
  }
}
