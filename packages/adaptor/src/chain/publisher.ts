import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { ask, type UnknownAnswer, unavailable } from './answers.ts';
import { callOptions } from './call-options.ts';
import { normalizeAddress } from './names.ts';
import type { PackageReader } from './witness.ts';

/** The part of a `SuiGrpcClient` that reads the facts for the publisher rule. */
export interface PublisherReader extends PackageReader {
  ledgerService: {
    getObject(
      request: GrpcTypes.GetObjectRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetObjectResponse }>;
    getTransaction(
      request: GrpcTypes.GetTransactionRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetTransactionResponse }>;
  };
}

/** An address that the chain names, the fact that there is none, or a fact that could not be read. */
export type AddressFact =
  | { status: 'known'; address: string }
  | { status: 'none'; reason: string }
  | UnknownAnswer;

/** The addresses that may speak for a package. */
export interface Publishers {
  /** Sender of the transaction that published the package's first version. */
  publishSender: AddressFact;
  /** Address that owns the package's UpgradeCap. The cap can change hands after this read. */
  upgradeCapOwner: AddressFact;
  /** Id of the package's newest version, as its UpgradeCap names it. Absent if the cap could not be read. */
  newestId?: string;
}

/** Facts that the UpgradeCap of a package shows. */
interface CapFacts {
  owner: AddressFact;
  newestId?: string;
}

/** The result of the publisher rule for one address. */
export type PublisherVerdict = { status: 'verified' } | { status: 'unverified' } | UnknownAnswer;

const timeoutMs = 10_000;
/**
 * Bound on the objects that are read to find the cap. A transaction can publish five packages, so more candidates exist
 * only if the node names no object types.
 */
const candidatesMax = 50;
const upgradeCapType = normalizeStructTag('0x2::package::UpgradeCap');
const UpgradeCap = bcs.struct('UpgradeCap', {
  id: bcs.Address,
  package: bcs.Address,
  version: bcs.u64(),
  policy: bcs.u8(),
});

/** Reads from the chain the addresses that may speak for a package. `packageId` may be any of its versions. */
export async function findPublishers(client: PublisherReader, packageId: string): Promise<Publishers> {
  const requestedId = normalizeAddress(packageId) ?? packageId;
  // The object is read ahead: most packages have one version, and its object names the transaction that published it.
  const [original, object] = await Promise.all([
    readOriginalId(client, requestedId),
    readPackageObject(client, requestedId),
  ]);
  if (original.status !== 'known') return { publishSender: original, upgradeCapOwner: original };
  const originalId = original.address;
  const published =
    originalId === requestedId
      ? await readLastTransaction(client, originalId, object)
      : await readPublishTransaction(client, originalId);
  if ('status' in published) return { publishSender: published, upgradeCapOwner: published };
  const sender = normalizeAddress(published.transaction?.sender ?? '');
  const known = { originalId, versionIds: [originalId, requestedId] };
  const { owner: upgradeCapOwner, newestId } = await readUpgradeCap(client, known, published);
  return {
    publishSender: sender
      ? { status: 'known', address: sender }
      : { status: 'unknown', reason: 'The node left the sender out of the transaction.', retryable: true },
    upgradeCapOwner,
    ...(newestId !== undefined && { newestId }),
  };
}

/**
 * Checks an address against the package's publishers. Returns `unknown` only if the address could be verified by a fact
 * that could not be read.
 */
export function isVerifiedPublisher(publishers: Publishers, address: string): PublisherVerdict {
  const facts = [publishers.publishSender, publishers.upgradeCapOwner];
  const normalized = normalizeAddress(address);
  if (facts.some((fact) => fact.status === 'known' && fact.address === normalized))
    return { status: 'verified' };
  const open = facts.filter((fact) => fact.status === 'unknown');
  return open.find((fact) => fact.retryable) ?? open[0] ?? { status: 'unverified' };
}

async function readOriginalId(client: PublisherReader, packageId: string): Promise<AddressFact> {
  const answer = await ask(client.movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
  if (answer.status === 'unavailable') return unavailable(answer.reason);
  const found = answer.status === 'found' ? answer.value.package?.originalId : undefined;
  const address = normalizeAddress(found ?? '');
  if (address === undefined) return { status: 'none', reason: `There is no package ${packageId}.` };
  return { status: 'known', address };
}

/** Reads the transaction that published a package: the last one that wrote its first version, which never changes. */
export async function readPublishTransaction(client: PublisherReader, originalId: string) {
  return await readLastTransaction(client, originalId, await readPackageObject(client, originalId));
}

/** Reads the object of a package, with the digest of the transaction that wrote it. */
const readPackageObject = (client: PublisherReader, packageId: string) =>
  readObject(client, packageId, ['object_id', 'previous_transaction']);

async function readLastTransaction(
  client: PublisherReader,
  originalId: string,
  answer: Awaited<ReturnType<typeof readPackageObject>>,
) {
  if (answer.status === 'unavailable') return unavailable(answer.reason);
  const digest = answer.status === 'found' ? answer.value.object?.previousTransaction : undefined;
  if (!digest) return unavailable(`no transaction is named for package ${originalId}`);
  const readMask = { paths: ['digest', 'transaction.sender', 'effects.changed_objects'] };
  const written = await ask(
    client.ledgerService.getTransaction({ digest, readMask }, callOptions(timeoutMs)),
  );
  if (written.status === 'unavailable') return unavailable(written.reason);
  if (written.status === 'absent' || !written.value.transaction) {
    const reason = `The node no longer keeps the transaction ${digest} that published the package; an archive may.`;
    return { status: 'unknown', reason, retryable: false } satisfies UnknownAnswer;
  }
  return written.value.transaction;
}

/** A package: the id of its first version, and all ids that are known to be versions of it. */
interface KnownPackage {
  originalId: string;
  versionIds: readonly string[];
}

async function readUpgradeCap(
  client: PublisherReader,
  known: KnownPackage,
  published: GrpcTypes.ExecutedTransaction,
): Promise<CapFacts> {
  const { CREATED } = GrpcTypes.ChangedObject_IdOperation;
  const { OBJECT_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
  // Some nodes leave `objectType` out of changed objects. The type is then read with each object.
  const candidates = (published.effects?.changedObjects ?? [])
    .filter((change) => change.idOperation === CREATED && change.outputState === OBJECT_WRITE)
    .filter(({ objectType }) => !objectType || isUpgradeCap(objectType));
  if (candidates.length > candidatesMax) {
    const reason = `The publishing transaction created more than ${candidatesMax} objects of unnamed type.`;
    return { owner: { status: 'unknown', reason, retryable: false } };
  }
  const facts = await Promise.all(
    candidates.map(({ objectId }) =>
      objectId === undefined ? undefined : readCandidate(client, objectId, known),
    ),
  );
  return (
    facts.find((fact) => fact?.owner.status === 'known') ??
    facts.find((fact) => fact?.owner.status === 'unknown') ??
    facts.findLast((fact) => fact !== undefined) ?? {
      owner: { status: 'none', reason: 'Publishing left no UpgradeCap with an owner.' },
    }
  );
}

/** Returns undefined if the object is not an UpgradeCap, or is that of another package from the same transaction. */
async function readCandidate(
  client: PublisherReader,
  capId: string,
  { originalId, versionIds }: KnownPackage,
): Promise<CapFacts | undefined> {
  const answer = await readObject(client, capId, ['object_id', 'object_type', 'owner', 'contents']);
  if (answer.status === 'unavailable') return { owner: unavailable(answer.reason) };
  const object = answer.status === 'found' ? answer.value.object : undefined;
  // The cap was deleted, which makes the package immutable, or is wrapped in another object, which has no single owner.
  if (!object) {
    const reason = 'The UpgradeCap was destroyed or is held inside an object.';
    return { owner: { status: 'none', reason } };
  }
  if (!isUpgradeCap(object.objectType)) return undefined;
  if (!object.contents?.value) return { owner: unavailable('the UpgradeCap came without contents') };
  // The bytes are copied: they may be a view of a larger buffer, and the parser reads addresses past the end of a view.
  const { package: newestId } = UpgradeCap.parse(Uint8Array.from(object.contents.value));
  if (!versionIds.includes(newestId)) {
    const upgraded = await readOriginalId(client, newestId);
    if (upgraded.status === 'unknown') return { owner: upgraded };
    if (upgraded.status === 'none' || upgraded.address !== originalId) return undefined;
  }
  const { ADDRESS, CONSENSUS_ADDRESS } = GrpcTypes.Owner_OwnerKind;
  const { kind, address } = object.owner ?? {};
  if (address !== undefined && (kind === ADDRESS || kind === CONSENSUS_ADDRESS)) {
    return { owner: { status: 'known', address: normalizeAddress(address) ?? address }, newestId };
  }
  return { owner: { status: 'none', reason: 'The UpgradeCap is not held by an address.' }, newestId };
}

function isUpgradeCap(objectType: string | undefined): boolean {
  if (!objectType?.includes('::')) return false;
  return normalizeStructTag(objectType) === upgradeCapType;
}

function readObject(client: PublisherReader, objectId: string, paths: string[]) {
  return ask(client.ledgerService.getObject({ objectId, readMask: { paths } }, callOptions(timeoutMs)));
}
