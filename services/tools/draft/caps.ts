import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { foundOf } from '@adaptor-marketplace/adaptor/chain/found';
import { listOwnedObjects } from '@adaptor-marketplace/adaptor/chain/owned-objects';
import { GrpcTypes } from '@mysten/sui/grpc';
import { readCapsMintedFor } from '../../../db/queries/wallets/caps.ts';
import { type Policies, readPolicies } from '../../../db/queries/wallets/policies.ts';
import { ancestorsOf, type Cap, capTypes, decodeCap } from '../../../lib/chain/caps.ts';
import { timeoutMs } from '../chain/client.ts';
import type { DraftNetwork } from './host.ts';

/** The caps that a sender can spend from one wallet by, and what its policy says of them. */
export interface HeldCaps {
  caps: Cap[];
  policies: Policies;
}

/** Of each kind of cap: anyone can send the agent any number, of any wallet. */
const pagesMax = 10;

/** A sender and the wallet that it spends from. */
export interface Holder {
  sender: string;
  walletId: string;
  /** Caps that are named by their ids. */
  named: readonly string[];
}

type CapsHost = Pick<DraftNetwork, 'network' | 'walletPackageId' | 'client' | 'db'>;

/**
 * Reads what the sender holds from the node, since caps change hands without an event, and the rest from the index.
 * @throws ProblemError 502 or 504 where the node does not say
 */
export async function readCaps(host: CapsHost, { sender, walletId, named }: Holder): Promise<HeldCaps> {
  const list = async (kind: Cap['kind']) => {
    const type = `${host.walletPackageId}::${capTypes[kind]}`;
    const owned = await listOwnedObjects(host.client, { owner: sender, type, pagesMax, timeoutMs });
    const { contents = [], truncated = false } = foundOf(owned) ?? {};
    return { caps: contents.map((bytes) => decodeCap(kind, bytes)), truncated };
  };
  const lists = await Promise.all([list('scoped'), list('bearer')]);
  const listed = lists.flatMap((one) => one.caps);
  const hidden = lists.some(({ truncated }) => truncated)
    ? await readByIds(host, { sender, walletId, named })
    : [];
  const byId = new Map([...listed, ...hidden].map((cap) => [cap.id, cap]));
  const caps = [...byId.values()].filter((cap) => cap.walletId === walletId);
  const policies = await readPolicies(host.db, {
    network: host.network,
    walletIds: [walletId],
    capIds: [...new Set(caps.flatMap((cap) => [cap.id, ...ancestorsOf(cap)]))],
  });
  return { caps, policies };
}

/** The caps behind those that strangers sent: those named, and those that the index knows were minted for the sender. */
async function readByIds(
  { network, walletPackageId, client, db }: CapsHost,
  { sender, walletId, named }: Holder,
): Promise<Cap[]> {
  const minted = await readCapsMintedFor(db, { network, walletId, recipient: sender });
  const requests = [...new Set([...named, ...minted])].map((objectId) => ({ objectId }));
  if (requests.length === 0) return [];
  const readMask = { paths: ['owner', 'object_type', 'contents'] };
  const call = client.ledgerService.batchGetObjects({ requests, readMask }, callOptions(timeoutMs));
  return (foundOf(await ask(call))?.objects ?? []).flatMap(({ result }) => {
    if (result.oneofKind !== 'object') return [];
    const { owner, objectType, contents } = result.object;
    const kind = kinds.find((one) => objectType === `${walletPackageId}::${capTypes[one]}`);
    const isHeld = owner?.kind === GrpcTypes.Owner_OwnerKind.ADDRESS && owner.address === sender;
    return kind && isHeld && contents?.value ? [decodeCap(kind, contents.value)] : [];
  });
}

const kinds = ['scoped', 'bearer'] as const;
