import { type Io, UsageError } from './io.ts';
import { type ApiOptions, pickNetwork } from './options.ts';

export interface DecisionOptions extends ApiOptions {
  reason: string;
  operator?: string;
}

/**
 * Builds the request of an operator's decision about a subject.
 * @throws UsageError if no name is known
 */
export function buildDecision(
  { env }: Io,
  subject: string,
  { reason, operator = env.USER, ...options }: DecisionOptions,
) {
  if (!operator) throw new UsageError('Give your name with --operator.');
  return { subject, reason, operator, ...pickNetwork(options) };
}
