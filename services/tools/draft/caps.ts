import { type Policies, readPolicies } from '../../../db/queries/wallets/policies.ts';
import { ancestorsOf } from '../../../lib/chain/cap-terms.ts';
import { type Cap, capTypes, decodeCap } from '../../../lib/chain/caps.ts';
import { foundOf } from '../../../lib/chain/node/found.ts';
import { listOwnedObjects } from '../../../lib/chain/owned-objects.ts';
import { timeoutMs } from '../chain/client.ts';
import type { DraftNetwork } from './host.ts';

/** The caps that a sender can spend from one wallet by, and what its policy says of them. */
export interface HeldCaps {
  caps: Cap[];
  policies: Policies;
}

/** Of each kind of cap: anyone can send the agent any number, of any wallet. */
const pagesMax = 10;

/**
 * Reads what the sender holds from the node, since caps change hands without an event, and the rest from the index.
 * @throws ProblemError 502 or 504 where the node does not say
 */
export async function readCaps(host: DraftNetwork, sender: string, walletId: string): Promise<HeldCaps> {
  const list = async (kind: Cap['kind']) => {
    const type = `${host.walletPackageId}::${capTypes[kind]}`;
    const owned = await listOwnedObjects(host.client, { owner: sender, type, pagesMax, timeoutMs });
    return foundOf(owned)?.contents.map((bytes) => decodeCap(kind, bytes)) ?? [];
  };
  const held = await Promise.all([list('scoped'), list('bearer')]);
  const caps = held.flat().filter((cap) => cap.walletId === walletId);
  const policies = await readPolicies(host.db, {
    network: host.network,
    walletIds: [walletId],
    capIds: [...new Set(caps.flatMap((cap) => [cap.id, ...ancestorsOf(cap)]))],
  });
  return { caps, policies };
}
