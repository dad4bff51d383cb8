import type { SharedTarget } from '@adaptor-marketplace/adaptor/calls/target';
import type { RegistryIds } from '@adaptor-marketplace/adaptor/registry-calls';
import type { Account } from '@adaptor-marketplace/localnet/account';
import { createdObject, type Published, publish } from './publish.ts';

/** The contracts that everyone uses. */
export interface Core {
  registry: RegistryIds;
  wallet: string;
  rules: SharedTarget;
  agents: SharedTarget;
  escrow: string;
}

/** Publishes them. */
export async function publishCore(operator: Account): Promise<Core> {
  const wallet = (await publish(operator, 'wallet')).packageId;
  const registry = shared(await publish(operator, 'registry'));
  const rules = shared(await publish(operator, 'rules', { wallet }));
  const agents = shared(await publish(operator, 'agents'));
  const escrow = (await publish(operator, 'escrow', { wallet })).packageId;
  return { registry, wallet, rules, agents, escrow };
}

/** A package with a shared registry. */
function shared(published: Published): SharedTarget {
  return { packageId: published.packageId, objectId: createdObject(published, '::registry::Registry') };
}
