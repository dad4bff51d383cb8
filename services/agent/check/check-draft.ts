import { byCoin, type CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import type { Pool } from 'pg';
import { readConfirmed } from '../../../db/queries/agent/operator.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import {
  type ActionRequest,
  type ActionStep,
  slotOf,
  stepName,
  stepsOf,
  wantedOf,
} from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { RunFailure, refusal } from '../../../lib/agent/run-failure.ts';
import { type CalledPackages, fromNode, type Node } from '../chain/node.ts';
import type { CheckedTransaction } from '../chain/prepare.ts';
import { boundsOf, checkAdaptorCalls, type Listed } from './adaptor.ts';
import { type Call, callsOf, checkSpend, expectBounds, objectIdsOf, readLock } from './calls.ts';
import { checkObjects, heldOnChain, oursOn } from './objects.ts';

/** What was found right. */
export interface Checked extends CheckedTransaction {
  /** What leaves the wallet at most, over all steps. */
  takes: CoinAmount[];
  /** What comes into it at least. */
  brings: CoinAmount[];
}

/** What a draft is held against. */
interface CheckWorld {
  db: Pool;
  node: Node;
  packages: CalledPackages;
  /** Only adaptors that the operator confirmed are called: nothing on chain holds them to bounds. */
  confirmedOnly: boolean;
}

/**
 * Holds a drafted transaction against the request. The tool service is untrusted: which functions the transaction may
 * call is looked up in the verified manifests, what it may pass follows from the request, and what each adaptor may
 * take and must bring is stated to the wallet, which holds the adaptor to it at execution.
 * @throws RunFailure `unexpected_transaction`, `adaptor_not_listed`, `adaptor_not_confirmed`, `node_unavailable`
 */
export async function checkDraft(
  world: CheckWorld,
  request: ActionRequest,
  draft: TransactionDraft,
): Promise<Checked> {
  const { node, packages } = world;
  const steps = stepsOf(request);
  const { calls, objectIds } = callsOf(draft.transactionKind);
  // Where a step ends is the tool service's word; that each part is what its step asks for is not.
  const counts = draft.steps.map(({ targets }) => targets.length);
  if (counts.length !== steps.length || counts.reduce((sum, count) => sum + count, 0) !== calls.length) {
    throw refusal('it has other steps');
  }
  const listed = await listedAdaptors(world, steps);
  const { walletId } = request;
  const stamps = { caps: new Set<string>(), lists: new Set<string>() };
  const takes: CoinAmount[] = [];
  const brings: CoinAmount[] = [];
  const handed = new Set<string>();
  let first = 0;
  for (const [place, step] of steps.entries()) {
    const part = calls.slice(first, first + counts[place]!);
    await inStep(steps, place, async () => {
      if (part.length === 0) throw refusal('a step is left out');
      if (step.action === 'spend') {
        const { cap, lists } = checkSpend(part, first, step, { walletId, packages });
        stamps.caps.add(cap);
        for (const list of lists) stamps.lists.add(list);
        takes.push({ coinType: step.coinType, amount: BigInt(step.amount) });
      } else {
        const bounds = await checkStep(world, { calls: part, first, listed: listed[place]!, walletId });
        takes.push(...bounds.takes);
        brings.push(...bounds.brings);
        for (const id of objectIdsOf(part)) handed.add(id);
      }
    });
    first += part.length;
  }
  // A cap that is in the transaction for a spend could be split off by an adaptor that gets it.
  for (const id of [...stamps.caps, ...stamps.lists]) {
    if (handed.has(id)) throw refusal(`it passes ${id}, which authorizes a spend, to an adaptor`);
  }
  const { wallet, allowlist } = packages;
  const types = {
    walletType: `${wallet.originalId}::wallet::Wallet`,
    listType: allowlist && `${allowlist.originalId}::rule::Allowlist`,
  };
  const known = await fromNode(() =>
    checkObjects(node.objects, objectIds, { walletId, ...types, ...stamps }, oursOn(node)),
  );
  return {
    transactionKind: heldOnChain(draft.transactionKind, { packages, types: known }),
    caps: [...stamps.caps],
    ...{ takes: byCoin(takes), brings: byCoin(brings) },
    stepOfCall:
      steps.length < 2
        ? []
        : steps.flatMap((step, place) => Array(counts[place]!).fill(stepName(place, step))),
  };
}

interface StepCalls {
  calls: readonly Call[];
  /** Place of the first of them in the transaction. */
  first: number;
  listed: Listed;
  walletId: string;
}

/** Answers what the step takes at most, and brings at least. */
async function checkStep(
  { node, packages }: CheckWorld,
  { calls, first, listed, walletId }: StepCalls,
): Promise<Pick<Checked, 'takes' | 'brings'>> {
  const lock = packages.hasActions
    ? readLock(calls, first, { walletId, walletPackageId: packages.wallet.newestId })
    : undefined;
  const inner = lock?.inner ?? calls;
  const ops = checkAdaptorCalls(inner, listed, walletId);
  const bounds = await fromNode(() => boundsOf(node, inner, ops, listed));
  if (lock) expectBounds(lock, { service: listed.entry.serviceType, ...bounds });
  return bounds;
}

/** Each step's adaptor; undefined for a spend. */
async function listedAdaptors(
  { db, node, confirmedOnly }: CheckWorld,
  steps: readonly ActionStep[],
): Promise<(Listed | undefined)[]> {
  const { network, slots = {} } = node.settings;
  const asked = steps.map((step) => {
    if (step.action === 'spend') return undefined;
    const wanted = wantedOf(step);
    const slot = slotOf[step.action];
    const setting = slots[slot];
    const serviceType = wanted.adaptor ?? setting?.serviceType ?? '';
    return {
      slot,
      wanted,
      serviceType,
      named: setting && serviceType === setting.serviceType ? setting : {},
    };
  });
  const serviceTypes = asked.map((one) => one?.serviceType ?? '');
  const [entries, confirmed] = await Promise.all([
    readEntries(
      db,
      serviceTypes.map((serviceType) => ({ network, serviceType })),
    ),
    confirmedOnly ? readConfirmed(db, network, serviceTypes) : undefined,
  ]);
  const usable = asked.map((one, place) =>
    inStep(steps, place, async () => {
      if (!one) return undefined;
      const entry = entries[place];
      // Anyone may register anyone's package: only what its own publisher lists is called.
      if (!entry?.publisherVerified) {
        const reason = `The catalog of ${network} has no verified adaptor ${one.serviceType}. Nothing was signed.`;
        throw new RunFailure('adaptor_not_listed', reason);
      }
      if (!confirmed) return { ...one, entry };
      const { publisher, packageId, manifestHash } = confirmed.get(one.serviceType) ?? {};
      const same = publisher === entry.publisher && packageId === entry.packageId;
      if (same && manifestHash === entry.manifestHash) return { ...one, entry };
      throw new RunFailure(
        'adaptor_not_confirmed',
        `The operator has not confirmed ${one.serviceType} at its listed version. Nothing was signed. ` +
          "Ask the operator, or grant to the wallet's own agent address (GET /api/agent/address).",
      );
    }),
  );
  return await Promise.all(usable);
}

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
async function inStep<T>(steps: readonly ActionStep[], place: number, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailure)) throw error;
    throw new RunFailure(error.code, `${stepName(place, steps[place]!)}: ${error.message}`);
  }
}
