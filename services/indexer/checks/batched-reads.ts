import { callOptions, type PublisherReader } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import DataLoader from 'dataloader';

const timeoutMs = 10_000;
/** Maximum reads of one request. As many packages have at most 5 MB. */
const batchMax = 50;

type BatchReader = Pick<
  ChainClient['ledgerService'],
  'getObject' | 'getTransaction' | 'batchGetObjects' | 'batchGetTransactions'
>;

/** An item of a batch: what was read, or the reason why not. */
type BatchItem<Value> = { value: Value | undefined } | { error: { code: number; message: string } };

/**
 * Returns a reader that sends the reads of one turn of the event loop in one request. A node that serves no batches gets single
 * requests. If a batch fails, so does every read in it: repeat it with single requests, so that one read cannot fail the
 * others for ever.
 */
export function batchReads(ledgerService: BatchReader): PublisherReader['ledgerService'] {
  /** `false` once the node has said that it knows no batches. */
  let isServed = true;
  const objects = new Map<string, DataLoader<string, GrpcTypes.Object | undefined>>();

  function createLoader<Value>(
    readBatch: (keys: readonly string[]) => Promise<BatchItem<Value>[]>,
    readOne: (key: string) => Promise<Value | undefined>,
  ): DataLoader<string, Value | undefined> {
    const load = async (keys: readonly string[]): Promise<(Value | undefined | Error)[]> => {
      if (isServed) {
        try {
          const items = await readBatch(keys);
          if (items.length === keys.length) return items.map(toResult);
          throw new RpcError(`the node answered ${items.length} of ${keys.length} reads`, 'INTERNAL');
        } catch (error) {
          if (!(error instanceof RpcError) || error.code !== 'UNIMPLEMENTED') throw error;
          isServed = false;
        }
      }
      return Promise.all(keys.map((key) => readOne(key).catch((error) => error)));
    };
    const loader = new DataLoader<string, Value | undefined>(
      (keys) => {
        // The cache is only of the reads that wait for this batch.
        loader.clearAll();
        return load(keys);
      },
      { maxBatchSize: batchMax },
    );
    return loader;
  }

  /** The indexer reads with few masks, each of which has a loader. */
  function readObject(objectId: string, paths: string[]): Promise<GrpcTypes.Object | undefined> {
    const key = paths.join();
    const loader =
      objects.get(key) ??
      createLoader(
        async (ids) => {
          const requests = ids.map((id) => ({ objectId: id }));
          const request = { requests, readMask: { paths } };
          const { response } = await ledgerService.batchGetObjects(request, callOptions(timeoutMs));
          return response.objects.map(({ result }) =>
            result.oneofKind === 'error'
              ? { error: result.error }
              : { value: result.oneofKind === 'object' ? result.object : undefined },
          );
        },
        async (id) => {
          const request = { objectId: id, readMask: { paths } };
          return (await ledgerService.getObject(request, callOptions(timeoutMs))).response.object;
        },
      );
    objects.set(key, loader);
    return loader.load(objectId);
  }

  const transactionPaths = ['digest', 'transaction.sender', 'effects.changed_objects'];
  const transactions = createLoader(
    async (digests) => {
      const request = { digests: [...digests], readMask: { paths: transactionPaths } };
      const { response } = await ledgerService.batchGetTransactions(request, callOptions(timeoutMs));
      return response.transactions.map(({ result }) =>
        result.oneofKind === 'error'
          ? { error: result.error }
          : { value: result.oneofKind === 'transaction' ? result.transaction : undefined },
      );
    },
    async (digest) => {
      const request = { digest, readMask: { paths: transactionPaths } };
      return (await ledgerService.getTransaction(request, callOptions(timeoutMs))).response.transaction;
    },
  );

  return {
    async getObject({ objectId = '', readMask }) {
      return { response: { object: await readObject(objectId, readMask?.paths ?? []) } };
    },
    async getTransaction({ digest = '' }) {
      return { response: { transaction: await transactions.load(digest) } };
    },
  };
}

/** Names of the codes that say that there is no such thing. Other errors may pass. */
const absentCodes: Readonly<Record<number, string>> = {
  3: 'INVALID_ARGUMENT',
  5: 'NOT_FOUND',
  11: 'OUT_OF_RANGE',
};

function toResult<Value>(item: BatchItem<Value>): Value | undefined | RpcError {
  if (!('error' in item)) return item.value;
  return new RpcError(item.error.message, absentCodes[item.error.code] ?? 'UNKNOWN');
}
