import { type ActionStep, stepName } from '../../../lib/actions/request.ts';
import { type DraftRefusal, draftRefusals } from '../../../lib/actions/tools-api.ts';
import { type FieldError, ProblemError } from '../../../lib/errors/index.ts';

/** A 422: the request is well-formed, but the catalog or the chain says no. */
export function refusal(code: DraftRefusal, reason?: string, errors?: FieldError[]): ProblemError {
  const detail = [draftRefusals[code], reason].filter(Boolean).join(' ');
  return new ProblemError({ status: 422, code, title: 'Not possible', detail, ...(errors && { errors }) });
}

/** Names a step in its refusal, where the draft has several. */
export type NameStep = (step: ActionStep, error: unknown) => unknown;

export function stepNamer(steps: readonly ActionStep[]): NameStep {
  return (step, error) => {
    if (steps.length < 2 || !(error instanceof ProblemError) || error.status !== 422) return error;
    const { status, code, title, fields, headers } = error;
    const detail = `${stepName(steps.indexOf(step), step)}: ${error.message}`;
    return new ProblemError({ status, code, title, detail, headers, ...(fields && { errors: fields }) });
  };
}
