import { GrpcTypes } from '@mysten/sui/grpc';
import type { EventRecord, ExecutedTransaction, ObjectRecord } from '../../ledger/types.ts';
import type { ChainView } from './chain-view.ts';
import { bcsMessage, timestamp } from './common.ts';
import { effectsMessage } from './effects.ts';
import type { ReadMask } from './read-mask.ts';
import { signatureMessage } from './signature.ts';
import { transactionMessage } from './transaction.ts';

/**
 * An executed (or simulated) transaction with the masked fields. `written` are object versions that the store
 * does not have, because nothing was kept.
 */
export function executedMessage(
  view: ChainView,
  transaction: ExecutedTransaction,
  mask: ReadMask<GrpcTypes.ExecutedTransaction>,
  written: ObjectRecord[] = [],
): GrpcTypes.ExecutedTransaction {
  const message: GrpcTypes.ExecutedTransaction = {
    digest: transaction.digest,
    signatures: [],
    balanceChanges: [],
  };
  if (mask.has('transaction')) {
    message.transaction = transactionMessage(transaction, mask.at('transaction', GrpcTypes.Transaction));
  }
  if (mask.has('signatures')) message.signatures = transaction.signatures.map(signatureMessage);
  if (mask.has('effects')) {
    const effects = mask.at('effects', GrpcTypes.TransactionEffects);
    message.effects = effectsMessage(transaction, effects, (id, name) => view.package(id)?.module(name));
  }
  if (mask.has('events') && transaction.eventsBcs) message.events = eventsMessage(view, transaction, mask);
  if (mask.has('balance_changes')) {
    message.balanceChanges = transaction.balanceChanges.map(({ address, coinType, amount }) => ({
      address,
      coinType,
      amount: String(amount),
    }));
  }
  if (mask.has('objects')) message.objects = { objects: objectMessages(view, transaction, mask, written) };
  if (transaction.checkpoint !== undefined) message.checkpoint = transaction.checkpoint;
  if (transaction.timestampMs !== undefined) message.timestamp = timestamp(transaction.timestampMs);
  if (transaction.transactionIndex !== undefined) {
    message.transactionIndex = BigInt(transaction.transactionIndex);
  }
  return mask.apply(message);
}

function eventsMessage(
  view: ChainView,
  transaction: ExecutedTransaction,
  mask: ReadMask<GrpcTypes.ExecutedTransaction>,
): GrpcTypes.TransactionEvents {
  const { eventsBcs, eventsDigest, events } = transaction;
  const eventMask = mask.at('events.events', GrpcTypes.Event);
  return {
    ...(eventsBcs && { bcs: bcsMessage('TransactionEvents', eventsBcs) }),
    ...(eventsDigest !== undefined && { digest: eventsDigest }),
    events: mask.has('events.events')
      ? events.map((event) => eventMask.apply(eventFields(view, event, eventMask)))
      : [],
  };
}

/** An event delivered on its own: with its place in the ledger. */
export function eventMessage(
  view: ChainView,
  transaction: ExecutedTransaction,
  event: EventRecord,
  mask: ReadMask<GrpcTypes.Event>,
): GrpcTypes.Event {
  const message = eventFields(view, event, mask);
  message.transactionDigest = transaction.digest;
  message.eventIndex = event.index;
  if (transaction.checkpoint !== undefined) message.checkpoint = transaction.checkpoint;
  if (transaction.transactionIndex !== undefined) {
    message.transactionIndex = BigInt(transaction.transactionIndex);
  }
  return mask.apply(message);
}

function eventFields(view: ChainView, event: EventRecord, mask: ReadMask<GrpcTypes.Event>): GrpcTypes.Event {
  const { packageId, module, sender, type, contents } = event;
  const message: GrpcTypes.Event = {
    packageId,
    module,
    sender,
    eventType: type,
    contents: bcsMessage(type, contents),
  };
  if (mask.has('json')) message.json = view.json(type, contents);
  return message;
}

/** Every version that the transaction read or wrote, sorted by id and version. */
function objectMessages(
  view: ChainView,
  transaction: ExecutedTransaction,
  mask: ReadMask<GrpcTypes.ExecutedTransaction>,
  written: ObjectRecord[],
): GrpcTypes.Object[] {
  const objectMask = mask.at('objects.objects', GrpcTypes.Object);
  const records = new Map<string, ObjectRecord>();
  for (const record of written) records.set(`${record.id}:${record.version}`, record);
  for (const { id, inputVersion, outputVersion } of transaction.objects) {
    for (const version of [inputVersion, outputVersion]) {
      if (version === undefined || records.has(`${id}:${version}`)) continue;
      const record = view.ledger.getObject(id, version);
      if (record) records.set(`${id}:${version}`, record);
    }
  }
  return [...records.values()]
    .sort((left, right) =>
      left.id === right.id ? Number(left.version - right.version) : left.id < right.id ? -1 : 1,
    )
    .map((record) => view.object(record, objectMask));
}
