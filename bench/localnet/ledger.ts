import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import type { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import type { ExecutedTransaction, ObjectRecord } from '@adaptor-marketplace/localnet/ledger/types';
import type { Created, Reference, Signed } from './workload.ts';

/** One of the coins that genesis made. */
export function firstGasOf(ledger: Ledger): Reference {
  const [coin] = ledger.listOwnedObjects(faucetKeypair().toSuiAddress(), { limit: 1 }).items;
  return referenceTo(coin!);
}

/** Executes straight in a ledger of this process. */
export async function executeIn(ledger: Ledger, { bytes, signature }: Signed): Promise<Created> {
  return createdBy(ledger, await ledger.execute(bytes, [signature]));
}

function createdBy(ledger: Ledger, executed: ExecutedTransaction): Created {
  if (executed.failureDescription !== undefined) throw new Error(executed.failureDescription);
  const { effects } = executed;
  const gasId = effects.changedObjects[effects.gasObjectIndex!]![0];
  const created = executed.objects.filter(({ change }) => change === 'created');
  return {
    gas: referenceTo(ledger.getObject(gasId)!),
    objects: created.map(({ id, type }) => ({ ...referenceTo(ledger.getObject(id)!), type })),
  };
}

function referenceTo({ id, version, digest }: ObjectRecord): Reference {
  return { objectId: id, version: String(version), digest };
}
