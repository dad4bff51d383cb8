import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  createFunctionReader,
  createObjectReader,
  packageVersions,
  readFunction,
} from '@adaptor-marketplace/adaptor/chain';
import { type NamedObject, readFixedObjects } from '@adaptor-marketplace/adaptor/draft';
import { type ExecutableOp, listOpArguments, listOpSteps } from '@adaptor-marketplace/adaptor/manifest';
import { hasActions, type ResolvedOp, resolveEach } from '@adaptor-marketplace/adaptor/transactions';
import { TypeTagSerializer } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { CommandFailedError, createNodeError, UsageError } from '../io.ts';
import { resolveCalledPackage, type WalletPackage } from '../network.ts';
import { type Session, TransactionRejectedError } from '../signing.ts';
import type { CallableOp } from './op.ts';

/**
 * Resolves an op with the chain's facts about its functions and fixed objects. A stranger chose these objects. An
 * object that the signer owns must not be among them. Neither must a wallet, a registry or a job: code that gets one
 * acts as the signer.
 * @throws UsageError if the op has no call; CommandFailedError for objects that do not exist, or that the signer must
 * guard
 */
export async function resolveCall(
  session: Session,
  { title, packageId, op }: CallableOp,
): Promise<ResolvedOp> {
  if (!isCallable(op)) throw new UsageError(`${title} does not say how ${op.module}::${op.entry} is called.`);
  const { client } = session;
  const guarded = listGuarded(session);
  const readers = {
    functions: createFunctionReader(client),
    objects: createObjectReader(client),
    versions: packageVersions(client),
  };
  const [[found]] = await Promise.all([
    resolveEach(readers, packageId, [op]),
    requireSafeObjects(session, op, guarded),
    refuseGuardedPackages(session, op, guarded),
  ]);
  if (found && 'target' in found) {
    requireChangeable(found);
    return found;
  }
  throw new CommandFailedError(
    `${op.module}::${op.entry} of ${packageId} cannot be called as ${title} says. ${found?.why} Nothing was signed.`,
  );
}

/** The clock and the randomness, which only the chain itself can change. */
const systemObjects = new Set(['0x6', '0x8'].map((id) => normalizeAddress(id)));

/** Refuses a call that would change an immutable or system object, since the chain would reject it. */
function requireChangeable({ op, calls, objects }: ResolvedOp): void {
  const immutable = new Set(
    objects.flatMap(({ kind, objectId }) => (kind === 'immutable' ? [objectId] : [])),
  );
  for (const { spec, parameters } of calls) {
    spec.args.forEach((one, index) => {
      if (parameters[index]?.reference !== 'mutable' || one.role !== 'object') return;
      const id = normalizeAddress(one.objectId)!;
      if (!systemObjects.has(id) && !immutable.has(id)) return;
      throw new CommandFailedError(
        `${op.module}::${op.entry} changes its argument ${index + 1}, but ${id} cannot be changed: ` +
          `${immutable.has(id) ? 'it is immutable' : 'it is a system object'}. Nothing was signed. Expected a shared object.`,
      );
    });
  }
}

const isCallable = (op: CallableOp['op']): op is ExecutableOp => listOpSteps(op).length > 0;

/** Ids of the first versions of packages whose functions and objects are for their owner alone. */
function listGuarded({
  registry,
  registryPackageId,
  walletPackage,
  guardedPackageIds,
}: Session): Set<string> {
  // The marketplace can add packages to those that are known without it, but not remove any.
  const named = [registry.packageId, registryPackageId, ...guardedPackageIds];
  return new Set([...named, ...Object.values(walletPackage ?? {})]);
}

/** Refuses an op with a call to a package whose objects the signer owns: the call would act as their owner. */
async function refuseGuardedPackages(
  { client }: Session,
  op: ExecutableOp,
  guarded: ReadonlySet<string>,
): Promise<void> {
  const versions = packageVersions(client);
  const checked = listOpSteps(op).map(async ({ packageId, module, entry }) => {
    if (packageId === undefined) return;
    const called = normalizeAddress(packageId)!;
    const original = await versions.readOriginalId(called);
    if (original.status === 'unavailable') {
      throw createNodeError(original.reason);
    }
    const belongsToOwner =
      guarded.has(called) || (original.status === 'found' && guarded.has(original.value));
    if (belongsToOwner)
      throw new CommandFailedError(`The op calls ${called}::${module}::${entry}. Nothing was signed.`);
  });
  await Promise.all(checked);
}

async function requireSafeObjects(
  session: Session,
  op: ExecutableOp,
  guarded: ReadonlySet<string>,
): Promise<void> {
  const ids = listOpArguments(op).flatMap((one) =>
    one.role === 'object' ? [normalizeAddress(one.objectId)!] : [],
  );
  if (ids.length === 0) return;
  const objects = await readFixedObjects(session.client, ids);
  if (objects.status === 'unavailable') {
    throw createNodeError(objects.reason);
  }
  const missing = ids.filter((id) => objects.status === 'absent' || !objects.value.has(id));
  if (missing.length > 0) {
    throw new CommandFailedError(`No shared or immutable object: ${missing.join(', ')}. Nothing was signed.`);
  }
  const [own] = findOwnerObjects(objects.status === 'found' ? objects.value.values() : [], guarded);
  if (!own) return;
  throw new CommandFailedError(
    `The op uses ${own.objectId}, a ${own.type}, which gives its owner rights beyond this call. Nothing was signed.`,
  );
}

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/**
 * Finds the objects that a stranger's code must not get from their owner, apart from the wallet that is locked: any
 * other wallet, since the lock of one does not protect another, and every object of the given packages.
 * @param packageIds ids of first versions
 */
export function findOwnerObjects(
  objects: Iterable<NamedObject>,
  packageIds: ReadonlySet<string>,
): NamedObject[] {
  const belongsToOwner = (tag: TypeTag): boolean => {
    if ('vector' in tag) return belongsToOwner(tag.vector);
    if (!('struct' in tag)) return false;
    const { address, module, name, typeParams } = tag.struct;
    if (packageIds.has(address) || (module === 'wallet' && name === 'Wallet')) return true;
    return typeParams.some(belongsToOwner);
  };
  return [...objects].filter(({ type }) => belongsToOwner(TypeTagSerializer.parseFromStr(type, true)));
}

const walletType = /^(0x[0-9a-f]{64})::wallet::Wallet$/;

/**
 * Determines the package of a wallet from the wallet's own type on the node. A marketplace that could choose the
 * package would have functions of its own called with the wallet.
 * @throws CommandFailedError if there is no such wallet
 */
export async function readWalletPackage(
  { client, walletPackage }: Session,
  walletId: string,
): Promise<WalletPackage> {
  const objects = await readFixedObjects(client, [walletId]);
  if (objects.status === 'unavailable') {
    throw createNodeError(objects.reason);
  }
  const type = objects.status === 'found' ? objects.value.get(walletId)?.type : undefined;
  const originalId = walletType.exec(type ?? '')?.[1];
  if (originalId === undefined) {
    throw new CommandFailedError(
      `--wallet: ${walletId} is not a shared wallet. Expected the id that open-wallet prints, or one of whoami.`,
    );
  }
  if (originalId === walletPackage?.originalId) return walletPackage;
  return { originalId, calledId: await resolveCalledPackage(packageVersions(client), originalId, undefined) };
}

/**
 * Refuses a call that the wallet's lock cannot protect.
 * @throws CommandFailedError that names the option to call without bounds
 */
export async function requireLockable(
  { client }: Session,
  { calledId }: WalletPackage,
  { packageId, op: { module, entry } }: CallableOp,
): Promise<void> {
  const request = { packageId, moduleName: module, name: entry };
  const [isBounded, answer] = await Promise.all([
    hasActions(createFunctionReader(client), calledId),
    readFunction(client, request),
  ]);
  if (!isBounded) {
    throw new CommandFailedError(
      `The wallet's package ${calledId} is an older version without bounds: the op could do anything with the wallet ` +
        `that you can do. ${withoutBoundsHint}`,
    );
  }
  if (answer.status === 'unavailable') {
    throw createNodeError(answer.reason);
  }
  const visibility = answer.status === 'found' ? answer.value.visibility : undefined;
  if (visibility === GrpcTypes.FunctionDescriptor_Visibility.PUBLIC) return;
  throw new CommandFailedError(
    `${module}::${entry} is not public, so the chain does not run it within the bounds of an action. ${withoutBoundsHint}`,
  );
}

const withoutBoundsHint = 'To call it without any bounds, add --without-bounds.';

/** Adds to a refusal by the wallet's lock the option that states the bound. Returns other errors unchanged. */
export function explainLock(error: unknown, { originalId, calledId }: WalletPackage): unknown {
  if (!(error instanceof TransactionRejectedError) || !error.abort) return error;
  const { module, code } = error.abort;
  const remedy = [originalId, calledId].some((id) => module === `${id}::lock`) ? remedies[code] : undefined;
  return remedy === undefined
    ? error
    : new TransactionRejectedError(`${error.message} ${remedy}`, error.abort);
}

const remedies: Record<number, string> = {
  3: 'To allow that amount, give --amount with --coin-in, or --take.',
  4: "Only what the service's witness brings counts. To accept less, lower --min-out or --bring.",
};
