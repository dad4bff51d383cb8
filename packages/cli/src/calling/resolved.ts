import { functionReader } from '@adaptor-marketplace/adaptor/chain/functions';
import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { objectReader } from '@adaptor-marketplace/adaptor/chain/objects';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import type { ExecutableOp } from '@adaptor-marketplace/adaptor/op';
import { type ResolvedOp, resolveEach } from '@adaptor-marketplace/adaptor/transactions/resolve-ops';
import { Refusal, UsageError } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';
import { ownersObjects } from './own-objects.ts';

/**
 * An op with what the chain says of its function and its fixed objects. These are a stranger's choice: an object of
 * the signer's own is nothing that a stranger may hand on, nor is a wallet, a registry or a job, where code that gets
 * it acts as the signer.
 * @throws UsageError where the op has no call; Refusal for objects that do not exist, or are the signer's to guard
 */
export async function resolved(session: Session, { title, packageId, op }: Callable): Promise<ResolvedOp> {
  if (!isCallable(op)) throw new UsageError(`${title} does not say how ${op.module}::${op.entry} is called.`);
  const { client } = session;
  await requireFixed(session, op);
  const readers = { functions: functionReader(client), objects: objectReader(client) };
  const [found] = await resolveEach(readers, packageId, [op]);
  if (found && 'target' in found) {
    requireChangeable(found);
    return found;
  }
  throw new Refusal(
    `${op.module}::${op.entry} of ${packageId} cannot be called as ${title} says. ${found?.why} Nothing was signed.`,
  );
}

/** The clock and the randomness, which only the chain itself changes. */
const systemObjects = new Set(['0x6', '0x8'].map((id) => normalizeAddress(id)));

/** The chain takes no call that would change what nobody can change. */
function requireChangeable({ op, parameters, objects }: ResolvedOp): void {
  const immutable = new Set(
    objects.flatMap(({ kind, objectId }) => (kind === 'immutable' ? [objectId] : [])),
  );
  op.call.args.forEach((one, place) => {
    if (parameters[place]?.reference !== 'mutable' || one.role !== 'object') return;
    const id = normalizeAddress(one.objectId)!;
    if (!systemObjects.has(id) && !immutable.has(id)) return;
    throw new Refusal(
      `${op.module}::${op.entry} changes its argument ${place + 1}, but nobody can change ${id}: ` +
        `${immutable.has(id) ? 'it is immutable' : "it is the chain's own"}. Nothing was signed. Expected a shared object.`,
    );
  });
}

const isCallable = (op: Callable['op']): op is ExecutableOp => op.call !== undefined;

async function requireFixed(session: Session, { call }: ExecutableOp): Promise<void> {
  const ids = call.args.flatMap((one) => (one.role === 'object' ? [normalizeAddress(one.objectId)!] : []));
  if (ids.length === 0) return;
  const objects = await readFixedObjects(session.client, ids);
  if (objects.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(objects.reason)}. Try again.`);
  }
  const missing = ids.filter((id) => objects.status === 'absent' || !objects.value.has(id));
  if (missing.length > 0) {
    throw new Refusal(`No shared or immutable object: ${missing.join(', ')}. Nothing was signed.`);
  }
  const { registry, registryPackageId, walletPackage, guardedPackageIds } = session;
  // What the marketplace names is added to what is known without it, and takes nothing away.
  const guarded = new Set([registry.packageId, registryPackageId, ...guardedPackageIds]);
  for (const id of Object.values(walletPackage ?? {})) guarded.add(id);
  const [own] = ownersObjects(objects.status === 'found' ? objects.value.values() : [], guarded);
  if (!own) return;
  throw new Refusal(
    `The op works on ${own.objectId}, a ${own.type}, over which its owner has power beyond this call. Nothing was signed.`,
  );
}
