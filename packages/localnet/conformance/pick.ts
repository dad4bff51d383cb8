import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';

/** How far back from the newest checkpoint subjects are looked for. */
const maxCheckpoints = 200n;

/** What the cases ask about: found on the network itself, so that they run against any. */
export interface Picked {
  chainId: string;
  /** A checkpoint with user transactions, and not the newest one. */
  checkpoint: bigint;
  /** A programmable transaction of it with a Move call and, where one was found, events. */
  digest: string;
  sender: string;
  call: { package: string; module: string; function: string };
  /** The transaction's first event. */
  event: { type: string; packageId: string; module: string } | undefined;
  /** An object that the transaction wrote and that is not a package. */
  objectId: string;
  /** An object with dynamic fields. */
  parent: string | undefined;
}

/** Looks back from the newest checkpoint. @throws Error when there is no transaction to ask about. */
export async function pickSubjects(client: SuiGrpcClient): Promise<Picked> {
  const { response: info } = await client.ledgerService.getServiceInfo({});
  const height = info.checkpointHeight!;
  const lowest = info.lowestAvailableCheckpoint ?? 0n;
  const last = height > maxCheckpoints + lowest ? height - maxCheckpoints : lowest;
  let found: Omit<Picked, 'parent' | 'chainId'> | undefined;
  for (let sequence = height - 1n; sequence >= last && !found?.event; sequence--) {
    found = (await candidateOf(client, sequence)) ?? found;
  }
  if (!found) throw new Error(`no transaction with a Move call in checkpoints ${last} to ${height}`);
  return { ...found, chainId: info.chainId!, parent: await parentWithFields(client, found) };
}

async function candidateOf(client: SuiGrpcClient, sequenceNumber: bigint) {
  const { response } = await client.ledgerService.getCheckpoint({
    checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber },
    readMask: {
      paths: [
        ...['sequence_number', 'transactions.digest', 'transactions.transaction', 'transactions.events'],
        ...['transactions.effects.status', 'transactions.effects.changed_objects'],
      ],
    },
  });
  for (const { digest, transaction, effects, events } of response.checkpoint!.transactions) {
    const kind = transaction?.kind;
    // Those of the system that settle address balances are programmable too, and emit nothing.
    if (kind?.kind !== GrpcTypes.TransactionKind_Kind.PROGRAMMABLE_TRANSACTION) continue;
    if (kind.data.oneofKind !== 'programmableTransaction') continue;
    const { commands } = kind.data.programmableTransaction;
    const call = commands.map(({ command }) => command).find(({ oneofKind }) => oneofKind === 'moveCall');
    const { OBJECT_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
    const written = effects?.changedObjects.find(
      ({ objectType, outputState }) => outputState === OBJECT_WRITE && objectType !== 'package',
    );
    if (call?.oneofKind !== 'moveCall' || !written || !effects?.status?.success) continue;
    const event = events?.events[0];
    return {
      checkpoint: sequenceNumber,
      digest: digest!,
      sender: transaction!.sender!,
      call: {
        package: call.moveCall.package!,
        module: call.moveCall.module!,
        function: call.moveCall.function!,
      },
      event: event && { type: event.eventType!, packageId: event.packageId!, module: event.module! },
      objectId: written.objectId!,
    };
  }
  return undefined;
}

/** The system state has fields on public networks; elsewhere some object that the transaction touched may. */
async function parentWithFields(client: SuiGrpcClient, { digest }: { digest: string }) {
  const { response } = await client.ledgerService.getTransaction({
    digest,
    readMask: { paths: ['effects.changed_objects'] },
  });
  const touched = response.transaction!.effects!.changedObjects.map(({ objectId }) => objectId!);
  for (const parent of ['0x5', ...touched]) {
    const fields = await client.stateService.listDynamicFields({ parent, pageSize: 1 });
    if (fields.response.dynamicFields.length > 0) return parent;
  }
  return undefined;
}
