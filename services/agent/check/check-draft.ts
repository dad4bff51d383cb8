import { readAhead } from '@adaptor-marketplace/adaptor/chain';
import { type CoinAmount, type OpChain, sumByCoin } from '@adaptor-marketplace/adaptor/transactions';
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
  parseAmounts,
  stepName,
} from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import type { DraftedCall, DraftedStep } from '../../../lib/agent/questions.ts';
import { RunFailedError, refusal } from '../../../lib/agent/run-failure.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type CalledPackages, fromNode, type Node } from '../chain/node.ts';
import type { CheckedTransaction } from '../chain/prepare.ts';
import { checkAdaptorCalls, checkOpCalls, findStepOp, type OpCalls, resolveBounds } from './adaptor-calls.ts';
import { type Call, checkSpend, expectBounds, listObjectIds, parseCalls, parseLock } from './calls.ts';
import { describeOpCalls, describeSpend } from './describe-calls.ts';
import { describeHeldUpdates } from './held-updates.ts';
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

interface CheckWorld {
  db: Pool;
  node: Node;
  packages: CalledPackages;
  /** If `true`, only adaptors that the operator confirmed may be called, because nothing on chain enforces bounds. */
  confirmedOnly: boolean;
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

/**
 * Checks the listings of the called adaptors against those that the caller decided on. A manifest names the package, so
 * its hash determines every call. @throws RunFailedError `listing_changed`
 */
function requireListings(
  bounds: ActionRequest['bounds'],
  listed: readonly (Pick<CatalogEntry, 'serviceType' | 'manifestHash'> | undefined)[],
): void {
  const { manifests } = bounds ?? {};
  if (!manifests) return;
  for (const entry of listed) {
    if (!entry) continue;
    const { serviceType, manifestHash } = entry;
    const decided = Object.hasOwn(manifests, serviceType) ? manifests[serviceType] : undefined;
    if (decided === manifestHash) continue;
    const difference =
      decided === undefined
        ? `the request would call ${serviceType}, which its bounds do not name`
        : `the manifest of ${serviceType} has the hash ${manifestHash}, and not ${decided}`;
    throw new RunFailedError(
      'listing_changed',
      `The listing is not the one that the request names: ${difference}. Nothing was signed. Simulate again, and decide by the calls that it makes now.`,
    );
  }
}

/**
 * Refuses a draft of another version of a listing than the one that its calls would be compared with. A publisher can update
 * the listing in between. @throws RunFailedError `listing_changed`
 */
function requireDraftedListings(
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
 * Checks against the bounds that the caller decided on: the listing may have been updated since. @throws RunFailedError
 * `bounds_exceeded`
 */
export function requireBounds(
  bounds: ActionRequest['bounds'],
  { takes, brings }: { takes: readonly CoinAmount[]; brings: readonly CoinAmount[] },
): void {
  if (!bounds) return;
  const allowed = amountByCoin(sumByCoin(parseAmounts(bounds.takesAtMost)));
  for (const { coinType, amount } of takes) {
    const most = allowed.get(coinType) ?? 0n;
    if (amount > most) throw exceeded(`it can take ${amount} of ${coinType}, and ${most} is allowed`);
  }
  const brought = amountByCoin(brings);
  for (const { coinType, amount } of sumByCoin(parseAmounts(bounds.bringsAtLeast))) {
    const least = brought.get(coinType) ?? 0n;
    if (least < amount) throw exceeded(`it must bring ${least} of ${coinType}, and ${amount} is required`);
  }
}

const amountByCoin = (amounts: readonly CoinAmount[]) =>
  new Map(amounts.map(({ coinType, amount }) => [coinType, amount]));

const exceeded = (reason: string) =>
  new RunFailedError(
    'bounds_exceeded',
    `The transaction exceeds the bounds of the request: ${reason}. Nothing was signed. Simulate again, and decide by the new bounds.`,
  );

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

/** Returns a step's requirements, slot, setting, and the adaptor's service type: empty if nothing names one. */
function chooseSlotAndAdaptor(step: ProtocolStep, { settings: { slots = {} } }: Node) {
  const required = deriveRequirements(step);
  const slot = protocolActions[step.action].slot;
  const setting = slots[slot];
  return { slot, setting, required, serviceType: required.adaptor ?? setting?.serviceType ?? '' };
}

/** Reads the adaptor of each step; `undefined` for a spend. */
async function readListedAdaptors(
  { db, node, confirmedOnly }: CheckWorld,
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

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
async function nameFailedStep<T>(
  steps: readonly ActionStep[],
  index: number,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailedError)) throw error;
    throw new RunFailedError(error.code, `${stepName(index, steps[index]!)}: ${error.message}`);
  }
}
