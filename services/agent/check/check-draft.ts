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
import { type Call, checkSpend, expectBounds, listObjectIds, parseCalls, readLock } from './calls.ts';
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
  const steps = listSteps(request);
  const { calls, objectIds } = parseCalls(draft.transactionKind);
  // The tool service says where each step ends. The agent itself checks that each part does what its step requests.
  const counts = draft.steps.map(({ targets }) => targets.length);
  if (counts.length !== steps.length || counts.reduce((sum, count) => sum + count, 0) !== calls.length) {
    throw refusal('it has other steps');
  }
  const listed = await readListedAdaptors(world, request.walletId, steps);
  requireListings(request.bounds, listed);
  const { walletId } = request;
  const stamps = { caps: new Set<string>(), lists: new Set<string>() };
  const takes: CoinAmount[] = [];
  const brings: CoinAmount[] = [];
  const handed = new Set<string>();
  const unbounded: { place: number; readBounds: ReadBounds }[] = [];
  /** Descriptions of the steps' calls, which may be made when all their arguments are checked. */
  const descriptions: (() => DraftedCall[])[] = [];
  /** The cap of each payment, by the position of its step. */
  const caps = new Map<number, string>();
  let first = 0;
  for (const [place, step] of steps.entries()) {
    const begin = first;
    const part = calls.slice(begin, begin + counts[place]!);
    await nameFailedStep(steps, place, async () => {
      if (part.length === 0) throw refusal('a step is left out');
      if (step.action === 'spend') {
        const { cap, lists } = checkSpend(part, begin, step, { walletId, packages });
        caps.set(place, cap);
        stamps.caps.add(cap);
        for (const list of lists) stamps.lists.add(list);
        takes.push({ coinType: step.coinType, amount: BigInt(step.amount) });
        descriptions.push(() => describeSpend(part, begin));
      } else {
        const entry = listed[place]!;
        const { called, readBounds } = checkStep(world, step, { calls: part, first: begin, entry, walletId });
        unbounded.push({ place, readBounds });
        descriptions.push(() => describeOpCalls(called));
        for (const id of listObjectIds(part)) handed.add(id);
      }
    });
    first += part.length;
  }
  // An adaptor that receives a cap could split another cap off it. So the caps and lists of a spend must not go to an
  // adaptor.
  for (const id of [...stamps.caps, ...stamps.lists]) {
    if (handed.has(id)) throw refusal(`it passes ${id}, which authorizes a spend, to an adaptor`);
  }
  // The calls name the objects, so that one read serves the bounds of all steps and the check of each object.
  const objects = readAhead(node.objects, listCheckedIds(objectIds, stamps.caps));
  const chain = { functions: node.functions, objects, versions: node.versions };
  const bounds = await Promise.all(
    unbounded.map(({ place, readBounds }) => nameFailedStep(steps, place, () => readBounds(chain))),
  );
  takes.push(...bounds.flatMap((bound) => bound.takes));
  brings.push(...bounds.flatMap((bound) => bound.brings));
  const sums = { takes: sumByCoin(takes), brings: sumByCoin(brings) };
  requireBounds(request.bounds, sums);
  const { wallet, allowlist } = packages;
  const types = {
    walletType: `${wallet.originalId}::wallet::Wallet`,
    listType: allowlist && `${allowlist.originalId}::rule::Allowlist`,
  };
  const known = await fromNode(() =>
    checkObjects(objects, objectIds, { walletId, ...types, ...stamps }, createPlatformCheck(node)),
  );
  return {
    transactionKind: appendChainChecks(draft.transactionKind, { packages, types: known }),
    caps: [...stamps.caps],
    ...sums,
    subjects: listed.flatMap((entry) => (entry ? [entry.serviceType, entry.publisher] : [])),
    steps: steps.map(({ action }, place) => {
      const adaptor = describeAdaptor(listed[place]);
      return { action, adaptor, capId: caps.get(place) ?? null, calls: descriptions[place]!() };
    }),
    stepOfCall:
      steps.length < 2
        ? []
        : steps.flatMap((step, place) => Array(counts[place]!).fill(stepName(place, step))),
  };
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
  const calls = listSteps(request).flatMap((step, place) =>
    step.action === 'call' ? [{ step, place }] : [],
  );
  if (calls.length === 0) return;
  const { network } = request;
  const entries = await readEntries(
    db,
    calls.map(({ step }) => ({ network, serviceType: step.adaptor })),
  );
  const errors = calls.flatMap(({ step, place }, nth) => {
    const entry = entries[nth];
    const message = isRunnable(entry) ? describeUnknownOp(entry.manifest, step.op) : undefined;
    const path = request.action === 'compose' ? `body.steps.${place}.op` : 'body.op';
    return message === undefined ? [] : [{ path, message }];
  });
  const [first] = errors;
  if (first) throw problem('invalid_body', `${first.path}: ${first.message}`, { errors });
}

interface StepCalls {
  calls: readonly Call[];
  /** Position of the first call in the transaction. */
  first: number;
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
    ? readLock(calls, first, { walletId, walletPackageId: packages.wallet.newestId })
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
  place: { walletId: string; first: number },
  { entry, node }: { entry: CatalogEntry; node: Node },
): CheckedStep {
  if (step.action === 'call') {
    const op = findStepOp(calls, step, entry);
    const named = { step, op, packageId: entry.packageId };
    return {
      called: [{ op, calls }],
      readBounds: (chain) => checkOpCalls(chain, calls, named, place),
    };
  }
  const { slot, setting, required } = chooseSlotAndAdaptor(step, node);
  const named = setting && entry.serviceType === setting.serviceType ? setting : {};
  const listed = { slot, required, entry, named };
  const called = checkAdaptorCalls(calls, listed, place);
  return { called, readBounds: (chain) => resolveBounds(chain, called, listed) };
}

/**
 * Refuses calls of an op to the packages that hold what wallets own. Only the agent's own calls use their functions.
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
  const usable = steps.map((step, place) =>
    nameFailedStep(steps, place, async () => {
      if (step.action === 'spend') return undefined;
      const [entry, serviceType] = [entries[place], serviceTypes[place]!];
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
      const same = publisher === entry.publisher && packageId === entry.packageId;
      if (same && manifestHash === entry.manifestHash) return entry;
      throw new RunFailedError(
        'adaptor_not_confirmed',
        `The operator has not confirmed ${serviceType} at its listed version. Nothing was signed. ` +
          "Ask the operator, or grant to the wallet's own agent address (GET /api/agent/address).",
      );
    }),
  );
  const listed = await Promise.all(usable);
  const held = await describeHeldUpdates(db, { network, walletId }, listed);
  for (const place of steps.keys()) {
    const detail = held[place];
    if (detail === undefined) continue;
    await nameFailedStep(steps, place, async () => {
      throw new RunFailedError('update_not_confirmed', detail);
    });
  }
  return listed;
}

/** Adds the name of the step to a failure of `check`, if the request has several steps. */
async function nameFailedStep<T>(
  steps: readonly ActionStep[],
  place: number,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (steps.length < 2 || !(error instanceof RunFailedError)) throw error;
    throw new RunFailedError(error.code, `${stepName(place, steps[place]!)}: ${error.message}`);
  }
}
