import { bcs } from '@mysten/sui/bcs';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { toHex } from '@mysten/sui/utils';
import { type Answer, ask } from './answers.ts';
import { readFunction } from './functions.ts';

/** The part of a `SuiGrpcClient` that reads the content of a registry. */
export type ListingReader = Pick<SuiGrpcClient, 'movePackageService' | 'simulateTransaction'>;

/** A listing as the registry holds it now. */
export interface RegisteredListing {
  publisher: string;
  packageId: string;
  manifestUri: string;
  /** Lower-case hex sha256 of the manifest's canonical JSON. */
  manifestHash: string;
  version: number;
}

const timeoutMs = 10_000;
/** Sender of the simulated transaction. A read needs no real one. */
const anyAddress = '0x0';
/** Abort code of the registry for a service type that is not listed. */
const notListed = 1;

/**
 * Reads a publisher's listing of a service type from the registry itself, by a simulated call of its functions.
 * @param registry any version of its package, and its shared object
 */
export async function readListing(
  client: ListingReader,
  registry: { packageId: string; objectId: string },
  { serviceType, publisher }: { serviceType: string; publisher: string },
): Promise<Answer<RegisteredListing>> {
  const { packageId } = registry;
  const named = { packageId, moduleName: 'registry', name: 'listing_of' };
  const byPublisher = await readFunction(client, named);
  if (byPublisher.status === 'unavailable') return byPublisher;
  // A registry that allows one publisher for each service type has only `listing`.
  const hasPublishers = byPublisher.status === 'found';
  const transaction = new Transaction();
  transaction.setSender(anyAddress);
  transaction.moveCall({
    target: `${packageId}::registry::${hasPublishers ? 'listing_of' : 'listing'}`,
    arguments: [
      transaction.object(registry.objectId),
      ...(hasPublishers ? [transaction.pure.address(publisher)] : []),
      transaction.pure.string(serviceType),
    ],
  });
  const answer = await ask(
    client
      .simulateTransaction({
        transaction,
        include: { commandResults: true },
        checksEnabled: false,
        signal: AbortSignal.timeout(timeoutMs),
      })
      .then((response) => ({ response })),
  );
  if (answer.status !== 'found') return answer;
  const { FailedTransaction: failed, commandResults } = answer.value;
  const absent = { status: 'absent', reason: `${publisher} does not list ${serviceType}.` } as const;
  if (failed) {
    const { error } = failed.status;
    if (Number(error?.MoveAbort?.abortCode) === notListed) return absent;
    return {
      status: 'absent',
      reason: `The registry cannot be read: ${error?.message ?? 'no reason given'}.`,
    };
  }
  const values = commandResults?.[0]?.returnValues.map((value) => value.bcs) ?? [];
  const [by, pkg, uri, hash, version] = values;
  if (!by || !pkg || !uri || !hash || !version) {
    return { status: 'unavailable', reason: 'the registry was read without its values' };
  }
  const found: RegisteredListing = {
    publisher: bcs.Address.parse(by),
    packageId: bcs.Address.parse(pkg),
    manifestUri: bcs.string().parse(uri),
    manifestHash: toHex(bcs.byteVector().parse(hash)),
    version: Number(bcs.u64().parse(version)),
  };
  return found.publisher === publisher ? { status: 'found', value: found } : absent;
}
