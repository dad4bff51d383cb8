import { readAhead } from '@adaptor-marketplace/adaptor/chain';
import { type CoinAmount, type OpChain, sumByCoin } from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { type ActionRequest, type ActionStep, listSteps, stepName } from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import type { DraftedCall, DraftedStep } from '../../../lib/agent/questions.ts';
import { refusal } from '../../../lib/agent/run-failure.ts';
import { type CalledPackages, fromNode, type Node } from '../chain/node.ts';
import type { CheckedTransaction } from '../chain/prepare.ts';
import { checkAdaptorCalls, checkOpCalls, findStepOp, type OpCalls, resolveBounds } from './adaptor-calls.ts';
import { requireBounds, requireListings } from './bounds.ts';
import { type Call, checkSpend, expectBounds, listObjectIds, parseCalls, parseLock } from './calls.ts';
import { describeOpCalls, describeSpend } from './describe-calls.ts';
import { nameFailedStep } from './failed-step.ts';
import {
  chooseSlotAndAdaptor,
  type ListingWorld,
  readListedAdaptors,
  requireDraftedListings,
} from './listings.ts';
import {
  appendChainChecks,
  checkObjects,
  createPlatformCheck,
  type IsPlatformPackage,
  listCheckedIds,
} from './objects.ts';

export interface CheckedDraft extends CheckedTransaction {
  /** Maximum amounts that leave the wallet, over all steps. */
  takes: CoinAmount[];
  /** Minimum amounts that come into the wallet, over all steps. */
  brings: CoinAmount[];
  /** Service types and publishers of the called adaptors. */
  subjects: string[];
  /** Called adaptors that the operator must have confirmed until the transaction is signed. */
  confirmed: Pick<CatalogEntry, 'serviceType' | 'manifestHash'>[];
  /** The calls of each step, as a person confirms them. */
  steps: DraftedStep[];
}

interface CheckWorld extends ListingWorld {
  packages: CalledPackages;
}

/**
 * Checks a drafted transaction against the request. The tool service is untrusted. The verified manifests determine the
 * functions that the transaction may call, and the request determines the arguments. The transaction states to the
 * wallet what each adaptor may take and must bring, and the wallet enforces that at execution.
 * @throws RunFailedError `unexpected_transaction`, `adaptor_not_listed`, `adaptor_quarantined`, `adaptor_not_confirmed`,
 *   `update_not_confirmed`, `listing_changed`, `bounds_exceeded`, `node_unavailable`
 */
export async function checkDraft(
  world: CheckWorld,
  request: ActionRequest,
  draft: TransactionDraft,
): Promise<CheckedDraft> {
  const { node, packages } = world;
  const { walletId } = request;
  const steps = listSteps(request);
  const { calls, objectIds } = parseCalls(draft.transactionKind);
  // The tool service says where each step ends. The agent itself checks that each part does what its step requests.
  const counts = draft.steps.map(({ targets }) => targets.length);
  if (counts.length !== steps.length || counts.reduce((sum, count) => sum + count, 0) !== calls.length) {
    throw refusal('it has other steps');
  }
  const listed = await readListedAdaptors(world, walletId, steps);
  requireListings(request.bounds, listed);
  requireDraftedListings(draft, listed);
  const checked = await checkSteps(world, { walletId, steps, listed }, splitCalls(calls, counts));
  const { caps, lists, stepCaps } = checked;
  // The calls name the objects, so that one read serves the bounds of all steps and the check of each object.
  const objects = readAhead(node.objects, listCheckedIds(objectIds, caps));
  const chain = { functions: node.functions, objects, versions: node.versions };
  const bounds = await Promise.all(
    checked.unbounded.map(({ index, readBounds }) => nameFailedStep(steps, index, () => readBounds(chain))),
  );
  const sums = {
    takes: sumByCoin([...checked.spends, ...bounds.flatMap(({ takes }) => takes)]),
    brings: sumByCoin(bounds.flatMap(({ brings }) => brings)),
  };
  requireBounds(request.bounds, sums);
  const { wallet, allowlist } = packages;
  const allowed = {
    walletId,
    walletType: `${wallet.originalId}::wallet::Wallet`,
    caps,
    lists,
    listType: allowlist && `${allowlist.originalId}::rule::Allowlist`,
  };
  const types = await fromNode(() => checkObjects(objects, objectIds, allowed, createPlatformCheck(node)));
  return {
    transactionKind: appendChainChecks(draft.transactionKind, { packages, types }),
    caps: [...caps],
    ...sums,
    subjects: listed.flatMap((entry) => (entry ? [entry.serviceType, entry.publisher] : [])),
    confirmed: world.confirmedOnly ? listed.filter((entry) => entry !== undefined) : [],
    steps: steps.map(({ action }, index) => ({
      action,
      adaptor: describeAdaptor(listed[index]),
      capId: stepCaps.get(index) ?? null,
      calls: checked.descriptions[index]!(),
    })),
    stepOfCall:
      steps.length < 2
        ? []
        : steps.flatMap((step, index) => Array(counts[index]!).fill(stepName(index, step))),
  };
}

/** The calls of one step, and the position of the first one in the transaction. */
interface CallGroup {
  calls: readonly Call[];
  first: number;
}

/** Splits calls into groups of these sizes. */
function splitCalls(calls: readonly Call[], counts: readonly number[]): CallGroup[] {
  let first = 0;
  return counts.map((count) => {
    const group = { calls: calls.slice(first, first + count), first };
    first += count;
    return group;
  });
}

/** Results of the checks that need no node. */
interface CheckedSteps {
  /** The sender's caps that authorize spends. */
  caps: Set<string>;
  /** Lists that stamp spends. */
  lists: Set<string>;
  /** The cap of each spend, by the position of its step. */
  stepCaps: Map<number, string>;
  /** Amounts of the spends. */
  spends: CoinAmount[];
  /** Steps that call an adaptor, by their positions. Reading their bounds checks the rest of their arguments. */
  unbounded: { index: number; readBounds: ReadBounds }[];
  /** Descriptions of the steps' calls, which may be made when all their arguments are checked. */
  descriptions: (() => DraftedCall[])[];
}

/** Checks the calls of each step, and that no adaptor receives what authorizes a spend. @throws RunFailedError */
async function checkSteps(
  world: CheckWorld,
  {
    walletId,
    steps,
    listed,
  }: { walletId: string; steps: readonly ActionStep[]; listed: readonly (CatalogEntry | undefined)[] },
  groups: readonly CallGroup[],
): Promise<CheckedSteps> {
  const checked: CheckedSteps = {
    caps: new Set(),
    lists: new Set(),
    stepCaps: new Map(),
    spends: [],
    unbounded: [],
    descriptions: [],
  };
  const adaptorObjectIds = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const { calls, first } = groups[index]!;
    await nameFailedStep(steps, index, async () => {
      if (calls.length === 0) throw refusal('a step is left out');
      if (step.action === 'spend') {
        const { cap, lists } = checkSpend(calls, first, step, { walletId, packages: world.packages });
        checked.caps.add(cap);
        checked.stepCaps.set(index, cap);
        for (const list of lists) checked.lists.add(list);
        checked.spends.push({ coinType: step.coinType, amount: BigInt(step.amount) });
        checked.descriptions.push(() => describeSpend(calls, first));
        return;
      }
      const entry = listed[index]!;
      const { called, readBounds } = checkStep(world, step, { calls, first, entry, walletId });
      checked.unbounded.push({ index, readBounds });
      checked.descriptions.push(() => describeOpCalls(called));
      for (const id of listObjectIds(calls)) adaptorObjectIds.add(id);
    });
  }
  // An adaptor that receives a cap could split another cap off it.
  for (const id of [...checked.caps, ...checked.lists]) {
    if (adaptorObjectIds.has(id)) throw refusal(`it passes ${id}, which authorizes a spend, to an adaptor`);
  }
  return checked;
}

function describeAdaptor(entry: CatalogEntry | undefined): DraftedStep['adaptor'] {
  if (!entry) return null;
  const { serviceType, publisher, manifestHash } = entry;
  return { serviceType, publisher, manifestHash };
}

interface StepCalls extends CallGroup {
  entry: CatalogEntry;
  walletId: string;
}

type AdaptorStep = Exclude<ActionStep, { action: 'spend' }>;

/** Reads from the chain the maximum that a step takes and the minimum that it brings, and checks the step against it. */
type ReadBounds = (chain: OpChain) => Promise<Pick<CheckedDraft, 'takes' | 'brings'>>;

interface CheckedStep {
  called: readonly OpCalls[];
  readBounds: ReadBounds;
}

/** Checks the calls of one step against the request and the manifest. What remains needs the node. */
function checkStep(
  { node, packages }: CheckWorld,
  step: AdaptorStep,
  { calls, first, entry, walletId }: StepCalls,
): CheckedStep {
  const lock = packages.hasActions
    ? parseLock(calls, first, { walletId, walletPackageId: packages.wallet.newestId })
    : undefined;
  const inner = lock?.inner ?? calls;
  const innerFirst = lock?.innerFirst ?? first;
  const checked = resolveCalls(inner, step, { walletId, first: innerFirst }, { entry, node });
  return {
    called: checked.called,
    async readBounds(chain) {
      const reading = fromNode(() => checked.readBounds(chain));
      const [bounds] = await Promise.all([reading, requireForeign(inner, createPlatformCheck(node))]);
      if (lock) expectBounds(lock, { service: entry.serviceType, ...bounds });
      return bounds;
    },
  };
}

function resolveCalls(
  calls: readonly Call[],
  step: AdaptorStep,
  position: { walletId: string; first: number },
  { entry, node }: { entry: CatalogEntry; node: Node },
): CheckedStep {
  if (step.action === 'call') {
    const op = findStepOp(calls, step, entry);
    const called = { step, op, packageId: entry.packageId };
    return {
      called: [{ op, calls }],
      readBounds: (chain) => checkOpCalls(chain, calls, called, position),
    };
  }
  const { slot, setting, required } = chooseSlotAndAdaptor(step, node);
  const isInSlot = setting?.serviceType === entry.serviceType;
  const adaptor = { slot, required, entry, setting: isInSlot ? setting : {} };
  const called = checkAdaptorCalls(calls, adaptor, position);
  return { called, readBounds: (chain) => resolveBounds(chain, called, adaptor) };
}

/**
 * Refuses calls of an op to the packages that hold what wallets own. Only the calls that the agent requires may go there.
 * @throws RunFailedError `unexpected_transaction`, `node_unavailable`
 */
async function requireForeign(calls: readonly Call[], isOurs: IsPlatformPackage): Promise<void> {
  await Promise.all(
    calls.map(async ({ target }) => {
      if (await isOurs(target.split('::')[0]!)) throw refusal(`it has an op call ${target}`);
    }),
  );
}
