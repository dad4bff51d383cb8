import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { protocolConfig } from '../../ledger/protocol.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { checkpointMessage } from '../convert/checkpoint.ts';
import { timestamp } from '../convert/common.ts';
import { executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { parseAddress, parseDigest } from '../query/move-path.ts';
import { bindService, type CallContext } from '../server/service.ts';
import { GrpcError, GrpcStatusCode, notFound } from '../server/status.ts';
import { invalidField, toRpcStatus } from '../server/status-details.ts';
import { AnswerBytes } from './answer-bytes.ts';
import { defaultMasks, listCheckpoints, listEvents, listTransactions } from './listing.ts';
import { systemStateMessage } from './system-state.ts';

/** What the network calls itself; clients know it by its chain id alone. */
export const chainName = 'localnet';
const serverName = 'localnet/0.1.0';
/** Maximum number of items of one batch request. */
const maxBatch = 1_000;
const defaultObjectMask = 'object_id,version,digest';

/** Point reads and scans of objects, transactions, checkpoints, events and the epoch. */
export function ledgerService(view: ChainView) {
  const { ledger } = view;

  function getObject(
    request: GrpcTypes.GetObjectRequest,
    mask: ReadMask<GrpcTypes.Object>,
    answer: ChainView,
  ) {
    const id = parseAddress(request.objectId, 'object_id');
    const object = ledger.getObject(id, request.version);
    if (object) return answer.object(object, mask);
    const version = request.version === undefined ? '' : ` with version ${request.version}`;
    throw notFound(`Object ${id}${version} not found`);
  }

  /** Without an id, the newest one is meant. */
  function checkpointKey(id: GrpcTypes.GetCheckpointRequest['checkpointId'], newest: bigint) {
    if (id.oneofKind === 'digest') return { digest: parseDigest(id.digest, 'digest') };
    return { sequence: id.oneofKind === 'sequenceNumber' ? id.sequenceNumber : newest };
  }

  /** @param checkpoint of a transaction; undefined before it is in one, which a late node does not know */
  function isVisible(checkpoint: bigint | undefined, call: CallContext): boolean {
    if (checkpoint === undefined) return view.lag(call) === 0n;
    return checkpoint >= view.lowestCheckpoint && checkpoint <= view.visibleCheckpoint(call);
  }

  function getTransaction(
    digest: string | undefined,
    mask: ReadMask<GrpcTypes.ExecutedTransaction>,
    answer: ChainView,
    call: CallContext,
  ) {
    const transaction = ledger.getTransaction(parseDigest(digest, 'digest'));
    if (!transaction || !isVisible(transaction.checkpoint, call)) {
      throw notFound(`Transaction ${digest} not found`);
    }
    return executedMessage(answer, transaction, mask);
  }

  return bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
    async getServiceInfo(_request, call) {
      const newest = view.newestCheckpoint(call);
      return {
        chainId: view.chainId,
        chain: chainName,
        ...(newest && {
          epoch: newest.epoch,
          checkpointHeight: newest.sequence,
          timestamp: timestamp(newest.timestampMs),
        }),
        lowestAvailableCheckpoint: view.lowestCheckpoint,
        lowestAvailableCheckpointObjects: ledger.lowestAvailableCheckpoint,
        server: serverName,
      };
    },

    async getObject(request) {
      const mask = ReadMask.parse(GrpcTypes.Object, request.readMask, defaultObjectMask);
      return { object: getObject(request, mask, view.answer()) };
    },

    async batchGetObjects({ requests, readMask }) {
      checkBatch(requests.length, 'requests');
      const mask = ReadMask.parse(GrpcTypes.Object, readMask, defaultObjectMask);
      const [answer, bytes] = [view.answer(), new AnswerBytes()];
      return {
        objects: requests.map((request) => ({
          result: resultOf('object', () => bytes.add(getObject(request, mask, answer))),
        })),
      };
    },

    async getTransaction({ digest, readMask }, call) {
      const mask = ReadMask.parse(GrpcTypes.ExecutedTransaction, readMask, defaultMasks.transaction);
      return { transaction: getTransaction(digest, mask, view.answer(), call) };
    },

    async batchGetTransactions({ digests, readMask }, call) {
      checkBatch(digests.length, 'digests');
      const mask = ReadMask.parse(GrpcTypes.ExecutedTransaction, readMask, defaultMasks.transaction);
      const [answer, bytes] = [view.answer(), new AnswerBytes()];
      return {
        transactions: digests.map((digest) => ({
          result: resultOf('transaction', () => bytes.add(getTransaction(digest, mask, answer, call))),
        })),
      };
    },

    async getCheckpoint({ checkpointId, readMask }, call) {
      const mask = ReadMask.parse(GrpcTypes.Checkpoint, readMask, defaultMasks.checkpoint);
      const newest = view.visibleCheckpoint(call);
      const checkpoint = ledger.getCheckpoint(checkpointKey(checkpointId, newest));
      if (!checkpoint || !isVisible(checkpoint.sequence, call)) throw notFound('Checkpoint not found');
      return { checkpoint: checkpointMessage(view.answer(), checkpoint, mask) };
    },

    async getEpoch({ epoch: asked, readMask }) {
      const mask = ReadMask.parse(GrpcTypes.Epoch, readMask, 'epoch');
      const epoch = ledger.getEpoch(asked);
      if (!epoch) throw notFound(`Epoch ${asked} not found`);
      const message: GrpcTypes.Epoch = {
        epoch: epoch.epoch,
        firstCheckpoint: epoch.firstCheckpoint,
        start: timestamp(epoch.startMs),
        referenceGasPrice: epoch.referenceGasPrice,
        protocolConfig: { ...protocolConfig, configs: {} },
        ...(mask.has('system_state') && { systemState: systemStateMessage(ledger) }),
      };
      return { epoch: mask.apply(message) };
    },

    listCheckpoints: (request, call) => listCheckpoints(view, request, call),
    listTransactions: (request, call) => listTransactions(view, request, call),
    listEvents: (request, call) => listEvents(view, request, call),
  });
}

function checkBatch(size: number, field: string): void {
  if (size > maxBatch) throw invalidField(field, `more than ${maxBatch}`);
}

/** One item of a batch: what was asked for or why not; the others are not affected unless the answer is full. */
function resultOf<Name extends 'object' | 'transaction', Item>(name: Name, read: () => Item) {
  try {
    return { oneofKind: name, [name]: read() } as { oneofKind: Name } & Record<Name, Item>;
  } catch (error) {
    if (!(error instanceof GrpcError) || error.code === GrpcStatusCode.RESOURCE_EXHAUSTED) throw error;
    return { oneofKind: 'error' as const, error: toRpcStatus(error) };
  }
}
