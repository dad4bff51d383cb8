import type { RegistryEvent } from './oracle/registry.ts';

/** Events that a subscription asks for, from a change of it on. */
interface Stretch {
  /** Names of events. Empty: it does not exist yet, is paused, or is removed. */
  events: readonly string[];
  /** Number of stored events of the registry when the change was asked for: it applies to no earlier one. */
  notBefore: number;
  /** That number after the change was answered: it applies to all later ones. `Infinity`: nobody answered. */
  surelyFrom: number;
}

/** A webhook, as its subscriber knows it. */
export interface Subscription {
  /** Undefined: the creation was not answered. */
  id: string | undefined;
  /** Paths of the receiver that it had so far, the present one last. No other webhook has them. */
  paths: string[];
  /** Only events about this service type, or about listings of this publisher. */
  filter: { serviceType?: string; publisher?: string };
  /** Events that it asks for while it is not paused. */
  events: readonly string[];
  isPaused: boolean;
  /** A change was not answered, and may still happen. It is not changed any more. */
  isUncertain: boolean;
  /** A removal was asked for: what waited to be sent may be gone. */
  isRemoved: boolean;
  stretches: Stretch[];
}

/**
 * Computes what the receiver of a subscription must have got, and what it may have got.
 * @param events of the registry, in the order of the chain
 */
export function expectDeliveries(
  { filter, stretches, isRemoved }: Subscription,
  events: readonly RegistryEvent[],
): { must: Set<string>; may: Set<string> } {
  const must = new Set<string>();
  const may = new Set<string>();
  for (const [at, { id, name, serviceType, publisher }] of events.entries()) {
    const isAbout =
      (filter.serviceType ?? serviceType) === serviceType && (filter.publisher ?? publisher) === publisher;
    if (!isAbout) continue;
    const possible = stretches.filter(({ notBefore }, index) => {
      const end = stretches[index + 1]?.surelyFrom ?? Infinity;
      return at >= notBefore && at < end;
    });
    if (possible.some((stretch) => stretch.events.includes(name))) may.add(id);
    if (!isRemoved && possible.every((stretch) => stretch.events.includes(name))) must.add(id);
  }
  return { must, may };
}
