import { enforceAllowlist } from '@adaptor-marketplace/adaptor/calls/allowlist';
import * as bearerCaps from '@adaptor-marketplace/adaptor/calls/bearer-cap';
import * as policy from '@adaptor-marketplace/adaptor/calls/policy';
import * as scopedCaps from '@adaptor-marketplace/adaptor/calls/scoped-cap';
import type { KnownObject } from '@adaptor-marketplace/adaptor/chain/objects';
import type { Transaction } from '@mysten/sui/transactions';
import { calledPackage } from './calls.ts';
import { type CapChoice, type ChosenCap, chooseCap } from './choose-cap.ts';
import type { DraftNetwork } from '../options.ts';
import type { Part } from './draft.ts';
import { refusal } from './grants.ts';

/**
 * A spend under the wallet's policy, by a cap of the sender's and with the stamp of every caveat that counts for it.
 * @throws ProblemError 422 where the sender holds no cap for it, 502 or 504 where the node does not say
 */
export async function spendPart(host: DraftNetwork, wallet: string, choice: CapChoice): Promise<Part> {
  const { step } = choice;
  const chosen = chooseCap(choice);
  const { cap, allowlistId, doubt } = chosen;
  const [objects, packageId, rulesPackageId] = await Promise.all([
    readObjects(host, chosen),
    calledPackage(host.versions, host.walletPackageId),
    allowlistId !== undefined && calledPackage(host.versions, host.allowlist!.packageId),
  ]);
  const target = { packageId, wallet };
  const terms = { coinType: step.coinType, amount: BigInt(step.amount), recipient: step.recipient };
  const append = (tx: Transaction) => {
    const request = policy.beginSpend(tx, target, terms);
    const stamp = { capId: cap.id, request };
    if (cap.kind === 'scoped') scopedCaps.spend(tx, packageId, stamp);
    else bearerCaps.prove(tx, packageId, stamp);
    if (allowlistId !== undefined && rulesPackageId) {
      enforceAllowlist(tx, rulesPackageId, { listId: allowlistId, request });
    }
    policy.confirmSpend(tx, target, { coinType: step.coinType, request });
  };
  return {
    action: 'spend',
    slot: null,
    adaptor: null,
    spends: [{ coinType: terms.coinType, amount: terms.amount }],
    receives: [],
    recipient: step.recipient,
    capId: cap.id,
    about: null,
    call: { append, objects, mutable: [wallet] },
    bounds: undefined,
    opening: undefined,
    grants: [],
    doubt,
  };
}

async function readObjects(
  { objects }: DraftNetwork,
  { cap, allowlistId }: ChosenCap,
): Promise<KnownObject[]> {
  const ids = [cap.id, ...(allowlistId === undefined ? [] : [allowlistId])];
  const found = await objects.read(ids);
  return ids.map((id) => {
    const object = found.get(id);
    if (!object) throw refusal('cap_missing', `${id} is no more.`);
    return object;
  });
}
