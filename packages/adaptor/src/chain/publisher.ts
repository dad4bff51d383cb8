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
  /** Address that owns the package's UpgradeCap. The cap can change hands, so the fact is as old as its reading. */
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
 * Bound on the objects that are read. A transaction makes at most five UpgradeCaps; there are more candidates only if
 * the node names no types.
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
  const asked = normalizeAddress(packageId) ?? packageId;
  // Most packages have one version, whose object then names the transaction that published the package.
  const [original, writer] = await Promise.all([readOriginalId(client, asked), readWriter(client, asked)]);
  if (original.status !== 'known') return { publishSender: original, upgradeCapOwner: original };
  const originalId = original.address;
  const published =
    originalId === asked
      ? await readWritingTransaction(client, originalId, writer)
      : await readPublishTransaction(client, originalId);
  if ('status' in published) return { publishSender: published, upgradeCapOwner: published };
  const sender = normalizeAddress(published.transaction?.sender ?? '');
  const known = { originalId, versionIds: [originalId, asked] };
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
 * Checks an address against the package's publishers. Returns `unknown` only if a fact that could not be read might
 * still verify it.
 */
export function isVerifiedPublisher(publishers: Publishers, address: string): PublisherVerdict {
  const facts = [publishers.publishSender, publishers.upgradeCapOwner];
  const wanted = normalizeAddress(address);
  if (facts.some((fact) => fact.status === 'known' && fact.address === wanted)) return { status: 'verified' };
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

/** Reads the transaction that last wrote the first version. Packages never change, so that transaction published it. */
export async function readPublishTransaction(client: PublisherReader, originalId: string) {
  return await readWritingTransaction(client, originalId, await readWriter(client, originalId));
}

/** Reads the object of a package, which names the transaction that wrote it. */
const readWriter = (client: PublisherReader, packageId: string) =>
  readObject(client, packageId, ['object_id', 'previous_transaction']);

async function readWritingTransaction(
  client: PublisherReader,
  originalId: string,
  writer: Awaited<ReturnType<typeof readWriter>>,
) {
  if (writer.status === 'unavailable') return unavailable(writer.reason);
  const digest = writer.status === 'found' ? writer.value.object?.previousTransaction : undefined;
  if (!digest) return unavailable(`no transaction is named for package ${originalId}`);
  const readMask = { paths: ['digest', 'transaction.sender', 'effects.changed_objects'] };
  const answer = await ask(client.ledgerService.getTransaction({ digest, readMask }, callOptions(timeoutMs)));
  if (answer.status === 'unavailable') return unavailable(answer.reason);
  if (answer.status === 'absent' || !answer.value.transaction) {
    const reason = `The node no longer keeps the transaction ${digest} that published the package; an archive may.`;
    return { status: 'unknown', reason, retryable: false } satisfies UnknownAnswer;
  }
  return answer.value.transaction;
}

/** A package: the id of its first version, and the ids of versions that are known to be its own. */
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
  // A node without that index names no types. The objects themselves then show their type.
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

/** Undefined if the object is not an UpgradeCap, or is the cap of another package from the same transaction. */
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
  // Copied, because the parser would read past the end of a view of a larger buffer.
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
