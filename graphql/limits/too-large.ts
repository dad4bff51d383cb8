import { type ProblemError, problem } from '../../lib/errors/index.ts';

/** Most bytes of an answer's JSON, as REST has it. */
export { answerBytesMax } from '../../lib/http/bounded-page.ts';

/** Most bytes that one query may read from the database; what it reads is in memory until it is answered. */
export const readBytesMax = 8_000_000;

export const answerTooLargeCode = 'answer_too_large';

/** Ends a query whose answer, or what is read for it, is more than one answer may hold. */
export function answerTooLarge(what: string): ProblemError {
  return problem(answerTooLargeCode, `${what}. Ask for fewer items per page, or for fewer fields.`);
}
