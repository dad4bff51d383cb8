import type { Transaction } from '@mysten/sui/transactions';
import type { SharedTarget } from './target.ts';

/** The profile that an agent publishes about itself. The contract aborts outside these bounds. */
export interface AgentProfile {
  /** 1 to 64 bytes. */
  name: string;
  /** Up to 512 bytes. */
  description: string;
  /** Up to 16, of 1 to 48 bytes each. */
  skills: string[];
  /** Starts with `https://`; up to 512 bytes. */
  cardUrl: string | null;
}

/** Appends `registry::register`; the sender is the agent. */
export function register(tx: Transaction, registry: SharedTarget, profile: AgentProfile): void {
  describe(tx, registry, 'register', profile);
}

/** Appends `registry::update` of the sender's whole profile. */
export function update(tx: Transaction, registry: SharedTarget, profile: AgentProfile): void {
  describe(tx, registry, 'update', profile);
}

/** Appends `registry::unlist` of the sender. */
export function unlist(tx: Transaction, registry: SharedTarget): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::unlist`,
    arguments: [tx.object(registry.objectId), tx.object.clock()],
  });
}

function describe(
  tx: Transaction,
  registry: SharedTarget,
  name: 'register' | 'update',
  { name: title, description, skills, cardUrl }: AgentProfile,
): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::${name}`,
    arguments: [
      tx.object(registry.objectId),
      tx.pure.string(title),
      tx.pure.string(description),
      tx.pure.vector('string', skills),
      tx.pure.option('string', cardUrl),
      tx.object.clock(),
    ],
  });
}
