import { type ResolvedOp, resolveEach, type UnfitOp } from '@adaptor-marketplace/adaptor/transactions';
import { isRunnable } from '../../db/queries/catalog/entry.ts';
import type { CatalogEntry } from '../../db/queries/catalog/entry-schema.ts';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { readQuarantine } from '../../db/queries/catalog/listing.ts';
import { buildCallInputs, type CallFault, findCalledOp } from '../../lib/actions/call-op.ts';
import {
  chooseOp,
  listBrokenRoleOps,
  listOpeners,
  listRoleOps,
  takesCoin,
  takesStated,
  valuesFor,
  worksOn,
} from '../../lib/actions/choose-op.ts';
import { protocolActions } from '../../lib/actions/protocol-actions.ts';
import {
  type ActionStep,
  type CallStep,
  deriveRequirements,
  type ProtocolStep,
  parseAmounts,
} from '../../lib/actions/request.ts';
import type { Requirements } from '../../lib/actions/requirements.ts';
import { type Slot, type SlotRole, type SlotSetting, slotRoles, slots } from '../../lib/actions/slots.ts';
import {
  type DraftErrorCode,
  draftErrors,
  type Grant,
  type ProtocolOp,
  type ProtocolsAnswer,
  type UsedAdaptor,
} from '../../lib/actions/tools-api.ts';
import {
  buildOpCall,
  type DraftStep,
  listGrants,
  type NameStep,
  type NetworkDependencies,
  refusal,
} from './draft-step.ts';

/** Describes the adaptor in each slot, with the grants that an owner must give. @throws ProblemError 502, 504 */
export async function describeProtocols(dependencies: NetworkDependencies): Promise<ProtocolsAnswer> {
  const filled = slots.map((slot) => ({ slot, setting: dependencies.slots[slot] }));
  const keys = filled.map(({ setting }) => ({
    network: dependencies.network,
    serviceType: setting?.serviceType ?? '',
  }));
  const entries = await readEntries(dependencies.db, keys);
  return {
    network: dependencies.network,
    protocols: await Promise.all(
      filled.map(({ slot, setting }, index) => describeSlot(dependencies, slot, setting, entries[index])),
    ),
    spend: { grants: spendGrants },
  };
}

const spendGrants: Grant[] = [{ kind: 'cap', coinType: null }];

/** Maximum number of ops of one adaptor that are listed as not executable: a stranger's manifest may have hundreds. */
const notExecutableMax = 32;

type Protocol = ProtocolsAnswer['protocols'][number];

async function describeSlot(
  dependencies: NetworkDependencies,
  slot: Slot,
  setting: SlotSetting | undefined,
  entry: CatalogEntry | undefined,
): Promise<Protocol> {
  if (!setting) return describeEmptySlot(slot, 'not_configured', 'slot_not_configured');
  if (!isRunnable(entry)) {
    const { network, db } = dependencies;
    const quarantined = await readQuarantine(db, { network, serviceType: setting.serviceType });
    return describeEmptySlot(
      slot,
      'not_available',
      quarantined ? 'adaptor_quarantined' : 'adaptor_not_listed',
    );
  }
  const { manifest, packageId, serviceType } = entry;
  const roles: readonly SlotRole[] = slotRoles[slot];
  const serving = roles.flatMap((role) =>
    listRoleOps(manifest, role, setting.ops).map((op) => ({ role, op })),
  );
  const results = await resolveEach(
    dependencies,
    packageId,
    serving.map(({ op }) => op),
  );
  const resolved = results.filter((one) => 'target' in one);
  const roleByOp = new Map(serving.map(({ role, op }) => [op, role]));
  const unfit = results.filter((one): one is UnfitOp => 'why' in one);
  const notExecutable = [
    ...roles.flatMap((role) =>
      listBrokenRoleOps(manifest, role, setting.ops).map(({ index, reason }) => ({
        role,
        op: `op ${index}`,
        reason: reason.detail,
      })),
    ),
    ...unfit.map(({ op, why }) => ({
      role: roleByOp.get(op)!,
      op: `${op.module}::${op.entry}`,
      reason: why,
    })),
  ];
  const ops = resolved.map((one) => toProtocolOp(one, roleByOp.get(one.op)!, serviceType));
  return {
    slot,
    status: ops.length > 0 ? 'ready' : 'not_available',
    reason: ops.length > 0 ? null : draftErrors[notExecutable[0] ? 'op_not_executable' : 'op_not_found'],
    adaptor: pickUsedAdaptor(entry),
    supportedCoins: manifest.supportedCoins ?? [],
    ops,
    notExecutable: notExecutable.slice(0, notExecutableMax),
  };
}

function describeEmptySlot(slot: Slot, status: Protocol['status'], reason: DraftErrorCode): Protocol {
  return {
    slot,
    status,
    reason: draftErrors[reason],
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
    grants: listGrants(serviceType, takes),
  };
}

interface ListedStep {
  step: ProtocolStep;
  slot: Slot;
  required: Requirements;
  entry: CatalogEntry;
  /** Ops and values that the slot's setting names for the adaptor. Empty if the request names another adaptor. */
  setting: Pick<SlotSetting, 'ops' | 'values'>;
}

/** Finds the adaptors of all steps, in one read. @throws ProblemError 422 for an empty slot or an unlisted adaptor */
export async function findListed(
  { network, slots, db }: Pick<NetworkDependencies, 'network' | 'slots' | 'db'>,
  steps: readonly ProtocolStep[],
  nameStep: NameStep,
): Promise<ListedStep[]> {
  if (steps.length === 0) return [];
  const requests = steps.map((step) => {
    const required = deriveRequirements(step);
    const slot = protocolActions[step.action].slot;
    const setting = slots[slot];
    const serviceType = required.adaptor ?? setting?.serviceType;
    if (serviceType === undefined) {
      throw nameStep(step, refusal('slot_not_configured', `The slot is ${slot}.`));
    }
    const isInSlot = setting?.serviceType === serviceType;
    return { step, slot, required, serviceType, setting: isInSlot ? setting : {} };
  });
  const entries = await readListedEntries({ network, db }, requests, nameStep);
  return requests.map(({ serviceType: _, ...request }, index) => ({ ...request, entry: entries[index]! }));
}

/** Reads the adaptors that the steps name. @throws ProblemError 422 if one is not listed by its verified publisher */
async function readListedEntries(
  { network, db }: Pick<NetworkDependencies, 'network' | 'db'>,
  requests: readonly { step: ActionStep; serviceType: string }[],
  nameStep: NameStep,
): Promise<CatalogEntry[]> {
  const keys = requests.map(({ serviceType }) => ({ network, serviceType }));
  const entries = await readEntries(db, keys);
  return await Promise.all(
    requests.map(async ({ step, serviceType }, index) => {
      const entry = entries[index];
      if (isRunnable(entry)) return entry;
      const quarantined = await readQuarantine(db, { network, serviceType });
      if (!quarantined) throw nameStep(step, refusal('adaptor_not_listed', `It is ${serviceType}.`));
      const detail = `It is ${serviceType}: ${quarantined.reason}`;
      throw nameStep(step, refusal('adaptor_quarantined', detail));
    }),
  );
}

/** Drafts a step with the calls of its adaptor's verified manifest. @throws ProblemError 422, 502 or 504 */
export async function draftProtocolStep(
  dependencies: NetworkDependencies,
  wallet: string,
  { step, slot, required, entry, setting }: ListedStep,
): Promise<DraftStep> {
  const { manifest, packageId, serviceType } = entry;
  const serving = listRoleOps(manifest, required.role, setting.ops);
  if (serving.length === 0) throw explainMissingOp(entry, required.role, setting.ops);
  const working = serving.filter((op) => worksOn(op, required.objectId));
  const candidates = working.filter((op) => takesStated(op, required, setting.values));
  if (working.length > 0 && candidates.length === 0) {
    throw refusal(
      'argument_mismatch',
      `No op of ${manifest.name} takes ${required.stated?.join(', ')} as requested.`,
    );
  }
  const openers = listOpeners(manifest, slot, setting.ops);
  const results = await resolveEach(dependencies, packageId, [...candidates, ...openers]);
  const resolved = results.filter((one) => 'target' in one);
  const unfit = results.find((one): one is UnfitOp => 'why' in one && candidates.includes(one.op));
  if (unfit && !resolved.some(({ op }) => candidates.includes(op))) {
    const { module, entry: name } = unfit.op;
    throw refusal('op_not_executable', `${module}::${name} of ${manifest.name}: ${unfit.why}`);
  }
  const chosen = chooseOp(
    resolved.filter(({ op }) => candidates.includes(op)),
    required,
    manifest.supportedCoins,
  );
  if (!chosen) throw refusal('coin_not_supported', `The adaptor is ${manifest.name}.`);
  const { amount, minOut } = required;
  const inputs = {
    wallet,
    ...(chosen.coinIn !== undefined && { coinIn: chosen.coinIn }),
    ...(chosen.coinOut !== undefined && { coinOut: chosen.coinOut }),
    ...(amount !== undefined && { amount }),
    ...(minOut !== undefined && { minOut }),
  };
  const ids = chosen.objects.map(({ objectId }) => objectId);
  const opener = resolved.find(
    ({ op, objects }) => openers.includes(op) && objects.every(({ objectId }) => ids.includes(objectId)),
  );
  const values = valuesFor(chosen.op, required.values, setting.values);
  return {
    action: step.action,
    slot,
    adaptor: pickUsedAdaptor(entry),
    spends: chosen.spends,
    receives: chosen.receives,
    recipient: null,
    capId: null,
    about: describeStep(step),
    call: buildOpCall(packageId, chosen, { ...inputs, values }),
    bounds: { service: serviceType, takes: chosen.spends, brings: chosen.receives },
    opening: opener && {
      key: [opener.target, ...opener.objects.map(({ objectId }) => objectId)].join(),
      call: buildOpCall(packageId, opener, inputs),
    },
    grants: listGrants(serviceType, chosen.spends),
    doubt: undefined,
  };
}

/** Explains why no op serves a role: the manifest has none, or its ops cannot be executed. */
function explainMissingOp({ manifest }: CatalogEntry, role: SlotRole, ops: SlotSetting['ops']) {
  const [broken] = listBrokenRoleOps(manifest, role, ops);
  if (!broken) return refusal('op_not_found', `${manifest.name} has no op for ${role}.`);
  const { index, reason } = broken;
  return refusal('op_not_executable', `Op ${index} of ${manifest.name}: ${reason.detail}`);
}

/** The part of a catalog entry that identifies the called code and its publisher. */
function pickUsedAdaptor(entry: CatalogEntry): UsedAdaptor {
  const { serviceType, packageId, publisher, version, manifestHash, manifest } = entry;
  return { serviceType, packageId, publisher, name: manifest.name, version, manifestHash };
}

function describeStep(step: ProtocolStep): string | null {
  if (step.action === 'perpOrder') {
    const { side, size, limitPrice, reduceOnly } = step;
    const limit = limitPrice === undefined ? 'at any price' : `at ${limitPrice} or better`;
    return `${side} ${size} ${limit}${reduceOnly ? ', only to reduce' : ''}`;
  }
  return step.action === 'clmmLiquidity' ? `${step.operation} ${JSON.stringify(step.positionName)}` : null;
}

/** Drafts `call` steps, each with the op that it names in its manifest. @throws ProblemError 422, 502 or 504 */
export async function draftCallSteps(
  dependencies: NetworkDependencies,
  steps: readonly CallStep[],
  walletId: string,
  nameStep: NameStep,
): Promise<DraftStep[]> {
  if (steps.length === 0) return [];
  const requests = steps.map((step) => ({ step, serviceType: step.adaptor }));
  const entries = await readListedEntries(dependencies, requests, nameStep);
  return await Promise.all(
    steps.map(async (step, index): Promise<DraftStep> => {
      const { manifest, packageId, serviceType } = entries[index]!;
      const requireFitting = <T extends object>(one: T | CallFault): T => {
        if (!('reason' in one)) return one;
        throw nameStep(step, refusal(one.code, `${manifest.name}: ${one.reason}`));
      };
      const op = requireFitting(findCalledOp(manifest, step));
      const [resolved] = await resolveEach(dependencies, packageId, [op]).catch((error) => {
        throw nameStep(step, error);
      });
      if (!resolved || 'why' in resolved) {
        throw nameStep(
          step,
          refusal('op_not_executable', `${step.op} of ${manifest.name}: ${resolved?.why}`),
        );
      }
      const inputs = requireFitting(buildCallInputs(resolved, step));
      const [spends, receives] = [parseAmounts(step.spends), parseAmounts(step.receivesAtLeast)];
      return {
        action: step.action,
        slot: null,
        adaptor: pickUsedAdaptor(entries[index]!),
        spends,
        receives,
        recipient: null,
        capId: null,
        about: step.op,
        call: buildOpCall(packageId, resolved, { wallet: walletId, ...inputs }),
        bounds: { service: serviceType, takes: spends, brings: receives },
        opening: undefined,
        grants: listGrants(serviceType, spends),
        doubt: undefined,
      };
    }),
  );
}
