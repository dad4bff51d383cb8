import type { Network } from '../../../lib/config/index.ts';
import { ProblemError } from '../../../lib/errors/index.ts';

/**
 * The network that a request is about.
 * @throws ProblemError 503 for one that this host does not index: an empty catalog would be a false answer
 */
export type NetworkChoice = (requested: Network | undefined) => Network;

export function networkChoice(served: readonly Network[], defaultNetwork: Network): NetworkChoice {
  return (requested = defaultNetwork) => {
    if (served.includes(requested)) return requested;
    throw new ProblemError({
      status: 503,
      code: 'network_not_configured',
      title: 'Network not configured',
      detail: `This host does not serve ${requested}; it serves ${served.join(' and ')}.`,
    });
  };
}
