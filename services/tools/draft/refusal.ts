import { type ActionStep, stepName } from '../../../lib/actions/request.ts';
import { type DraftRefusal, draftRefusals } from '../../../lib/actions/tools-api.ts';
import { type FieldError, ProblemError, problem } from '../../../lib/errors/index.ts';

/** A 422: the request is well-formed, but the catalog or the chain says no. */
export function refusal(code: DraftRefusal, reason?: string, errors?: FieldError[]): ProblemError {
  const detail = [draftRefusals[code], reason].filter(Boolean).join(' ');
  return problem(code, detail, { status: 422, errors });
}

/** Names a step in its refusal, where the draft has several. */
export type NameStep = (step: ActionStep, error: unknown) => unknown;

export function stepNamer(steps: readonly ActionStep[]): NameStep {
  return (step, error) => {
    if (steps.length < 2 || !(error instanceof ProblemError) || error.status !== 422) return error;
    const { status, code, title, errors, headers } = error;
    const detail = `${stepName(steps.indexOf(step), step)}: ${error.message}`;
    return new ProblemError({ status, code, title, detail, headers, errors });
  };
}
