import { getErrorMessage, type Network, normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  ask,
  type CoinUnits,
  type InputObject,
  type PackageVersions,
  unwrapAnswer,
} from '@adaptor-marketplace/adaptor/chain';
import {
  type ActionBounds,
  appendOp,
  type CoinAmount,
  type OpChain,
  type OpInputs,
  type ResolvedOp,
} from '@adaptor-marketplace/adaptor/transactions';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import type { Queryable } from '../../db/queries/queryable.ts';
import { type ActionStep, stepName } from '../../lib/actions/request.ts';
import type { Slot, SlotSettings } from '../../lib/actions/slots.ts';
import {
  type DraftErrorCode,
  draftErrors,
  type Grant,
  type UsedAdaptor,
} from '../../lib/actions/tools-api.ts';
import { type FieldError, ProblemError, problem } from '../../lib/errors/index.ts';

export interface NetworkDependencies extends OpChain {
  network: Network;
  /** Id of the first version of the wallet package, which its types have. Calls go to the newest of its `versions`. */
  walletPackageId: string;
  /** The first version of the package of recipient allowlists, and its caveat; undefined if the settings name none. */
  allowlist: { packageId: string; rule: string } | undefined;
  slots: SlotSettings;
  db: Queryable;
  client: ToolsClient;
  versions: PackageVersions;
  units: CoinUnits;
}

/** The part of a node's client that drafting uses. */
type ToolsClient = Pick<
  SuiGrpcClient,
  'ledgerService' | 'movePackageService' | 'stateService' | 'simulateTransaction'
>;

/** Timeout of each call to a node. */
export const timeoutMs = 5_000;

/** One or more calls that belong together in a transaction. */
export interface Call {
  append(tx: Transaction): void;
  /** Objects that the calls use in addition to the wallet. */
  objects: InputObject[];
  /** Ids of shared objects that it takes by `&mut` or by value. */
  mutable: string[];
}

export interface DraftStep {
  action: string;
  slot: Slot | null;
  adaptor: UsedAdaptor | null;
  spends: CoinAmount[];
  receives: CoinAmount[];
  recipient: string | null;
  capId: string | null;
  /** Details of the step in addition to its coins, in words. */
  about: string | null;
  call: Call;
  /** Bounds of the action, which the wallet enforces; undefined for a spend, which calls no service. */
  bounds: ActionBounds | undefined;
  /** Call that opens the wallet's account at the protocol; undefined if the protocol has no accounts. */
  opening: { key: string; call: Call } | undefined;
  /** Grants that the owner must have given. */
  grants: Grant[];
  /** The reason why the step would fail according to the read model, which may be behind the chain. */
  doubt: ProblemError | undefined;
}

export function buildOpCall(
  packageId: string,
  resolved: ResolvedOp,
  inputs: OpInputs & { wallet: string },
): Call {
  const { op, calls, objects } = resolved;
  const remainingIds = objects.map(({ objectId }) => objectId);
  const mutable = calls.flatMap(({ spec, parameters }) =>
    spec.args.flatMap(({ role }, index) => {
      const id = role === 'object' ? remainingIds.shift() : role === 'wallet' ? inputs.wallet : undefined;
      return id !== undefined && parameters[index]?.reference !== 'immutable' ? [id] : [];
    }),
  );
  const append = (tx: Transaction) => {
    try {
      appendOp(tx, packageId, op, inputs);
    } catch (error) {
      throw refusal('argument_mismatch', getErrorMessage(error).slice(0, 300));
    }
  };
  return { append, objects, mutable };
}

/** Returns the bytes of a transaction's kind, and the functions that each step calls. @throws ProblemError 422 */
export async function assemble(
  wallet: InputObject,
  steps: readonly (readonly Call[])[],
): Promise<{ kind: Uint8Array; targets: string[][] }> {
  const tx = new Transaction();
  const ends = steps.map((calls) => {
    for (const call of calls) call.append(tx);
    return tx.getData().commands.length;
  });
  const targets = tx
    .getData()
    .commands.map(({ MoveCall: call }) =>
      call ? [`${call.package}::${call.module}::${call.function}`] : [],
    );
  const calls = steps.flat();
  const objects = new Map(
    [wallet, ...calls.flatMap((call) => call.objects)].map((object) => [object.objectId, object]),
  );
  const mutable = new Set(calls.flatMap((call) => call.mutable));
  return {
    kind: await buildKind(tx, objects, mutable),
    targets: ends.map((end, index) => targets.slice(ends[index - 1] ?? 0, end).flat()),
  };
}

/**
 * Returns the bytes of a transaction's kind, with each object resolved from `objects`. `mutableIds`: ids of shared
 * objects that some call takes by `&mut` or by value. @throws Error naming an object that is not known
 */
async function buildKind(
  tx: Transaction,
  objects: ReadonlyMap<string, InputObject>,
  mutableIds: ReadonlySet<string>,
): Promise<Uint8Array> {
  tx.addBuildPlugin(async (data, _options, next) => {
    data.inputs.forEach((input, index) => {
      if (input.$kind !== 'UnresolvedObject') return;
      const id = normalizeAddress(input.UnresolvedObject.objectId) ?? input.UnresolvedObject.objectId;
      const object = objects.get(id);
      if (!object) throw new Error(`The object ${id} was not read.`);
      data.inputs[index] =
        object.kind === 'shared'
          ? Inputs.SharedObjectRef({ ...object, mutable: mutableIds.has(id) })
          : Inputs.ObjectRef(object);
    });
    await next();
  });
  return tx.build({ onlyTransactionKind: true });
}

/**
 * Returns the newest version of a package, which calls go to. If it does not exist, returns `originalId`: later look-
 * ups find nothing. @throws ProblemError 502 or 504
 */
export async function resolveCalledPackage(versions: PackageVersions, originalId: string): Promise<string> {
  return unwrapAnswer(await versions.newest(originalId)) ?? originalId;
}

/**
 * Returns `true` if a simulated transaction kind, in BCS, would succeed if the sender had the gas. @throws ProblemError
 * 502 or 504
 */
export async function wouldSucceed(client: ToolsClient, sender: string, kind: Uint8Array): Promise<boolean> {
  const transaction = Transaction.fromKind(kind);
  transaction.setSender(sender);
  const signal = AbortSignal.timeout(timeoutMs);
  const simulated = client.simulateTransaction({ transaction, checksEnabled: false, signal });
  const result = await ask(simulated.then((response) => ({ response })));
  return unwrapAnswer(result)?.$kind === 'Transaction';
}

/** A coin that an op takes. A `coinType` of `null` means any coin. Without `amount`, the amount is not settled yet. */
interface SpentCoin {
  coinType: string | null;
  amount?: bigint;
}

/** Returns the grants that an owner must give so that a delegate's call of a service succeeds. */
export function listGrants(serviceType: string, takes: readonly SpentCoin[]): Grant[] {
  if (takes.length === 0) {
    // The service keeps an asset in the wallet and moves it for any delegate with a budget.
    return [{ kind: 'delegate' }, { kind: 'service', serviceType }, { kind: 'serviceBudget', serviceType }];
  }
  const digits = (amount: bigint | undefined) => (amount === undefined ? {} : { amount: String(amount) });
  const known = takes.every(({ amount }) => amount !== undefined);
  const sum = known ? takes.reduce((total, { amount = 0n }) => total + amount, 0n) : undefined;
  return [
    { kind: 'delegate' },
    { kind: 'serviceBudget', serviceType, ...digits(sum) },
    ...takes.flatMap(({ coinType, amount }): Grant[] => [
      { kind: 'serviceCoin', serviceType, coinType, ...digits(amount) },
      { kind: 'coinBudget', coinType, ...digits(amount) },
    ]),
  ];
}

export const getAmount = (grant: Grant | undefined) =>
  grant && 'amount' in grant ? grant.amount : undefined;

export function buildGrantCall(grant: Grant, sender: string): string {
  const amount = getAmount(grant);
  const minimum = amount === undefined ? '' : `at least ${amount}`;
  const andMinimum = minimum && `, ${minimum}`;
  switch (grant.kind) {
    case 'delegate':
      return `delegate::add(${sender})`;
    case 'service':
      return `wallet::grant_service_coin<${grant.serviceType}, any coin>`;
    case 'serviceCoin':
      return `wallet::grant_service_coin<${grant.serviceType}, ${grant.coinType}>(${minimum})`;
    case 'serviceBudget':
      return `delegate::set_service_allowance<${grant.serviceType}>(${sender}${andMinimum})`;
    case 'coinBudget':
      return `delegate::set_coin_allowance<${grant.coinType}>(${sender}${andMinimum})`;
    case 'cap':
      return `sub_delegate::mint_root_and_transfer<${grant.coinType}>(${sender}${andMinimum}), or cap_auth::mint_and_transfer(${sender})`;
    case 'recipient':
      return `rule::allow(${grant.recipient})`;
  }
}

/** Creates a 422 problem: the request is valid, but the catalog or the chain does not allow it. */
export function refusal(code: DraftErrorCode, reason?: string, errors?: FieldError[]): ProblemError {
  const detail = [draftErrors[code], reason].filter(Boolean).join(' ');
  return problem(code, detail, { status: 422, errors });
}

/** Adds the name of the step to its refusal, if the draft has several steps. */
export type NameStep = <Failure>(step: ActionStep, error: Failure) => Failure | ProblemError;

export function createStepNamer(steps: readonly ActionStep[]): NameStep {
  return (step, error) => {
    if (steps.length < 2 || !(error instanceof ProblemError) || error.status !== 422) return error;
    const { status, code, title, errors, headers } = error;
    const detail = `${stepName(steps.indexOf(step), step)}: ${error.message}`;
    return new ProblemError({ status, code, title, detail, headers, errors });
  };
}
