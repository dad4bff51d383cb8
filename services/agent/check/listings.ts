import type { Pool } from 'pg';
import { readConfirmed } from '../../../db/queries/agent/operator.ts';
import { isRunnable } from '../../../db/queries/catalog/entry.ts';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { readQuarantine } from '../../../db/queries/catalog/listing.ts';
import { describeUnknownOp } from '../../../lib/actions/call-op.ts';
import { protocolActions } from '../../../lib/actions/protocol-actions.ts';
import {
  type ActionRequest,
  type ActionStep,
  deriveRequirements,
  listSteps,
  type ProtocolStep,
} from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Node } from '../chain/node.ts';
import { nameFailedStep } from './failed-step.ts';
import { describeHeldUpdates } from './held-updates.ts';

export interface ListingWorld {
  db: Pool;
  node: Node;
  /** If `true`, only adaptors that the operator confirmed may be called, because nothing on chain enforces bounds. */
  confirmedOnly: boolean;
}

/**
 * Reads the adaptor of each step; `undefined` for a spend.
 * @throws RunFailedError `adaptor_not_listed`, `adaptor_quarantined`, `adaptor_not_confirmed`, `update_not_confirmed`
 */
export async function readListedAdaptors(
  { db, node, confirmedOnly }: ListingWorld,
  walletId: string,
  steps: readonly ActionStep[],
): Promise<(CatalogEntry | undefined)[]> {
  // A spend calls no adaptor.
  if (steps.every(({ action }) => action === 'spend')) return steps.map(() => undefined);
  const { network } = node.settings;
  const serviceTypes = steps.map((step) => {
    if (step.action === 'spend') return '';
    return step.action === 'call' ? step.adaptor : chooseSlotAndAdaptor(step, node).serviceType;
  });
  const [entries, confirmed] = await Promise.all([
    readEntries(
      db,
      serviceTypes.map((serviceType) => ({ network, serviceType })),
    ),
    confirmedOnly ? readConfirmed(db, network, serviceTypes) : undefined,
  ]);
  const usable = steps.map((step, index) =>
    nameFailedStep(steps, index, async () => {
      if (step.action === 'spend') return undefined;
      const [entry, serviceType] = [entries[index], serviceTypes[index]!];
      // Anyone may register any package. The agent calls only packages that their own publisher lists.
      if (!isRunnable(entry)) {
        const quarantined = await readQuarantine(db, { network, serviceType });
        if (quarantined) {
          const detail = `The operator holds ${serviceType} in quarantine: ${quarantined.reason}. Nothing was signed.`;
          throw new RunFailedError('adaptor_quarantined', detail);
        }
        const reason = `The catalog of ${network} has no verified adaptor ${serviceType}. Nothing was signed.`;
        throw new RunFailedError('adaptor_not_listed', reason);
      }
      if (!confirmed) return entry;
      const { publisher, packageId, manifestHash } = confirmed.get(serviceType) ?? {};
      const isSameCode = publisher === entry.publisher && packageId === entry.packageId;
      if (isSameCode && manifestHash === entry.manifestHash) return entry;
      throw new RunFailedError(
        'adaptor_not_confirmed',
        `The operator has not confirmed ${serviceType} at its listed version. Nothing was signed. ` +
          "Ask the operator, or grant to the wallet's own agent address (GET /api/agent/address).",
      );
    }),
  );
  const listed = await Promise.all(usable);
  const held = await describeHeldUpdates(db, { network, walletId }, listed);
  for (const index of steps.keys()) {
    const detail = held[index];
    if (detail === undefined) continue;
    await nameFailedStep(steps, index, async () => {
      throw new RunFailedError('update_not_confirmed', detail);
    });
  }
  return listed;
}

/**
 * Refuses a draft of another version of a listing than the one that its calls would be compared with. A publisher can update
 * the listing in between. @throws RunFailedError `listing_changed`
 */
export function requireDraftedListings(
  { steps }: TransactionDraft,
  listed: readonly (Pick<CatalogEntry, 'serviceType' | 'manifestHash'> | undefined)[],
): void {
  const updated = listed.find((entry, index) => {
    const drafted = steps[index]!.adaptor;
    return drafted?.serviceType === entry?.serviceType && drafted?.manifestHash !== entry?.manifestHash;
  });
  if (!updated) return;
  throw new RunFailedError(
    'listing_changed',
    `The listing of ${updated.serviceType} was updated while the transaction was drafted. Nothing was signed. Send the request again.`,
  );
}

/**
 * Refuses a request for an op that the listed manifest lacks, before a run begins. An unlisted adaptor passes: the
 * draft reports it. @throws ProblemError 400 `invalid_body` with the name that was probably meant
 */
export async function requireNamedOps(db: Pool, request: ActionRequest): Promise<void> {
  const calls = listSteps(request).flatMap((step, index) =>
    step.action === 'call' ? [{ step, index }] : [],
  );
  if (calls.length === 0) return;
  const { network } = request;
  const entries = await readEntries(
    db,
    calls.map(({ step }) => ({ network, serviceType: step.adaptor })),
  );
  const errors = calls.flatMap(({ step, index }, position) => {
    const entry = entries[position];
    const message = isRunnable(entry) ? describeUnknownOp(entry.manifest, step.op) : undefined;
    const path = request.action === 'compose' ? `body.steps.${index}.op` : 'body.op';
    return message === undefined ? [] : [{ path, message }];
  });
  const [first] = errors;
  if (first) throw problem('invalid_body', `${first.path}: ${first.message}`, { errors });
}

/** Returns a step's requirements, slot, setting, and the adaptor's service type: empty if nothing names one. */
export function chooseSlotAndAdaptor(step: ProtocolStep, { settings: { slots = {} } }: Node) {
  const required = deriveRequirements(step);
  const slot = protocolActions[step.action].slot;
  const setting = slots[slot];
  return { slot, setting, required, serviceType: required.adaptor ?? setting?.serviceType ?? '' };
}
