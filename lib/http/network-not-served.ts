import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type ProblemError, problem } from '../errors/index.ts';

/**
 * The answer to a request about a network that exists and is not served here: 400, since the same request does not
 * succeed later.
 * @param server the subject of the sentence, such as `This host`
 */
export function networkNotServed(
  server: string,
  requested: Network,
  served: readonly Network[],
): ProblemError {
  const instead = served.length === 0 ? 'no network' : served.join(' and ');
  return problem('network_not_configured', `${server} does not serve ${requested}. It serves ${instead}.`);
}
