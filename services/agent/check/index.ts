import type { Pool } from 'pg';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import type { ActionRequest, ActionStep } from '../../../lib/actions/request.ts';
import { slotOf } from '../../../lib/actions/slots.ts';
import type { DraftAnswer } from '../../../lib/actions/tools-api.ts';
import { wantedOf } from '../../../lib/actions/wanted.ts';
import type { AgentNetwork } from '../options.ts';
import { RunFailure } from '../run/failure.ts';
import { stepsOf } from '../run/flows.ts';
import { checkAdaptorCalls, type Listed } from './adaptor.ts';
import { callsOf } from './calls.ts';
import { inStep, refusal } from './refusal.ts';
import { checkSpend } from './spend.ts';

/** What was found right. */
export interface Checked {
  /** BCS of the transaction kind, base64. */
  transactionKind: string;
  /** Caps of the agent's that it spends by: of all that the agent owns, it may use these and gas. */
  caps: string[];
}

/**
 * Holds a drafted transaction against the request, without a word of the tool service's being believed: which
 * functions it may call is looked up in the verified manifests, what it may pass follows from the request.
 * @throws RunFailure `unexpected_transaction`, `adaptor_not_listed`
 */
export async function checkDraft(
  db: Pool,
  network: AgentNetwork,
  request: ActionRequest,
  draft: DraftAnswer,
): Promise<Checked> {
  const steps = stepsOf(request);
  const calls = callsOf(draft.transactionKind);
  // Where a step ends is the tool service's word; that each part is what its step asks for is not.
  const counts = draft.steps.map(({ targets }) => targets.length);
  if (counts.length !== steps.length || counts.reduce((sum, count) => sum + count, 0) !== calls.length) {
    throw refusal('it has other steps');
  }
  const listed = await listedAdaptors(db, network, steps);
  const world = { walletId: request.walletId, packages: network };
  const caps: string[] = [];
  let first = 0;
  steps.forEach((step, place) => {
    const part = calls.slice(first, first + counts[place]!);
    inStep(steps, place, () => {
      if (part.length === 0) throw refusal('a step is left out');
      if (step.action === 'spend') caps.push(checkSpend(part, first, step, world));
      else checkAdaptorCalls(part, listed[place]!, request.walletId);
    });
    first += part.length;
  });
  return { transactionKind: draft.transactionKind, caps };
}

/** Each step's adaptor; undefined for a spend. */
async function listedAdaptors(
  db: Pool,
  { network, slots = {} }: AgentNetwork,
  steps: readonly ActionStep[],
): Promise<(Listed | undefined)[]> {
  const asked = steps.map((step) => {
    if (step.action === 'spend') return undefined;
    const wanted = wantedOf(step);
    const setting = slots[slotOf[step.action]];
    const serviceType = wanted.adaptor ?? setting?.serviceType ?? '';
    return { wanted, serviceType, named: setting && serviceType === setting.serviceType ? setting : {} };
  });
  const keys = asked.map((one) => ({ network, serviceType: one?.serviceType ?? '' }));
  const entries = await readEntries(db, keys);
  return asked.map((one, place) => {
    if (!one) return undefined;
    const entry = entries[place];
    // Anyone may register anyone's package: only what its own publisher lists is called.
    if (entry?.publisherVerified) return { ...one, entry };
    const reason = `The catalog of ${network} has no verified adaptor ${one.serviceType}. Nothing was signed.`;
    return inStep(steps, place, () => {
      throw new RunFailure('adaptor_not_listed', reason);
    });
  });
}
