import { type ResolvedOp, resolveEach, type UnfitOp } from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogEntry } from '../../db/queries/catalog/entry.ts';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { brokenOpsOfRole, opsOfRole, takesCoin } from '../../lib/actions/choose-op.ts';
import { type Slot, type SlotRole, type SlotSetting, slotRoles, slots } from '../../lib/actions/slots.ts';
import {
  type DraftErrorCode,
  draftErrors,
  type Grant,
  type ProtocolOp,
  type ProtocolsAnswer,
} from '../../lib/actions/tools-api.ts';
import { grantsFor } from './grants.ts';
import type { NetworkDependencies } from './options.ts';
import { isUsable, usedAdaptor } from './protocol-step.ts';

/**
 * What each slot of a network is filled with: ops, coins, and what an owner must grant.
 * @throws ProblemError 502 or 504 if the node does not answer
 */
export async function protocols(dependencies: NetworkDependencies): Promise<ProtocolsAnswer> {
  const filled = slots.map((slot) => ({ slot, setting: dependencies.slots[slot] }));
  const keys = filled.map(({ setting }) => ({
    network: dependencies.network,
    serviceType: setting?.serviceType ?? '',
  }));
  const entries = await readEntries(dependencies.db, keys);
  return {
    network: dependencies.network,
    protocols: await Promise.all(
      filled.map(({ slot, setting }, place) => describe(dependencies, slot, setting, entries[place])),
    ),
    spend: { grants: spendGrants },
  };
}

const spendGrants: Grant[] = [{ kind: 'cap', coinType: null }];

/** Of one adaptor: a stranger's manifest may have hundreds. */
const notExecutableMax = 32;

type Protocol = ProtocolsAnswer['protocols'][number];

async function describe(
  dependencies: NetworkDependencies,
  slot: Slot,
  setting: SlotSetting | undefined,
  entry: CatalogEntry | undefined,
): Promise<Protocol> {
  if (!setting) return empty(slot, 'not_configured', 'slot_not_configured');
  if (!isUsable(entry)) return empty(slot, 'not_available', 'adaptor_not_listed');
  const { manifest, packageId, serviceType } = entry;
  const roles: readonly SlotRole[] = slotRoles[slot];
  const serving = roles.flatMap((role) => opsOfRole(manifest, role, setting.ops).map((op) => ({ role, op })));
  const looked = await resolveEach(
    dependencies,
    packageId,
    serving.map(({ op }) => op),
  );
  const resolved = looked.filter((one) => 'target' in one);
  const roleOf = new Map(serving.map(({ role, op }) => [op, role]));
  const unfit = looked.filter((one): one is UnfitOp => 'why' in one);
  const notExecutable = [
    ...roles.flatMap((role) =>
      brokenOpsOfRole(manifest, role, setting.ops).map(({ index, reason }) => ({
        role,
        op: `op ${index}`,
        reason: reason.detail,
      })),
    ),
    ...unfit.map(({ op, why }) => ({
      role: roleOf.get(op)!,
      op: `${op.module}::${op.entry}`,
      reason: why,
    })),
  ];
  const ops = resolved.map((one) => toProtocolOp(one, roleOf.get(one.op)!, serviceType));
  return {
    slot,
    status: ops.length > 0 ? 'ready' : 'not_available',
    reason: ops.length > 0 ? null : draftErrors[notExecutable[0] ? 'op_not_executable' : 'op_not_found'],
    adaptor: usedAdaptor(entry),
    supportedCoins: manifest.supportedCoins ?? [],
    ops,
    notExecutable: notExecutable.slice(0, notExecutableMax),
  };
}

function empty(slot: Slot, status: Protocol['status'], why: DraftErrorCode): Protocol {
  return {
    slot,
    status,
    reason: draftErrors[why],
    adaptor: null,
    supportedCoins: [],
    ops: [],
    notExecutable: [],
  };
}

function toProtocolOp(one: ResolvedOp, role: SlotRole, serviceType: string): ProtocolOp {
  const { op, target, objects, coinIn = null, coinOut = null } = one;
  const takes = takesCoin(op, role) ? [{ coinType: coinIn }] : [];
  return {
    role,
    target,
    label: op.label ?? null,
    coinIn,
    coinOut,
    objects: objects.map(({ objectId }) => objectId),
    grants: grantsFor(serviceType, takes),
  };
}
