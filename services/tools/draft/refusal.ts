import { type DraftRefusal, draftRefusals } from '../../../lib/actions/tools-api.ts';
import { type FieldError, ProblemError } from '../../../lib/errors/index.ts';

/** A 422: the request is well-formed, but the catalog or the chain says no. */
export function refusal(code: DraftRefusal, reason?: string, errors?: FieldError[]): ProblemError {
  const detail = [draftRefusals[code], reason].filter(Boolean).join(' ');
  return new ProblemError({ status: 422, code, title: 'Not possible', detail, ...(errors && { errors }) });
}
