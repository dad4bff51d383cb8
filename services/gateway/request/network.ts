import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { networkNotServed } from '../../../lib/http/network-not-served.ts';

/**
 * The network that a request is about.
 * @throws ProblemError 400 for one that this host does not index: an empty catalog would be a false answer, and the
 *   same request does not succeed later
 */
export type NetworkChoice = (requested: Network | undefined) => Network;

export function networkChoice(served: readonly Network[], defaultNetwork: Network): NetworkChoice {
  return (requested = defaultNetwork) => {
    if (served.includes(requested)) return requested;
    throw networkNotServed('This host', requested, served);
  };
}
