import { callMisfit } from '@adaptor-marketplace/adaptor/call-fit';
import { signatureOf } from '@adaptor-marketplace/adaptor/chain/functions';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { isExecutable, type ListedOp } from '@adaptor-marketplace/adaptor/op';
import type { OpMisfit } from '@adaptor-marketplace/adaptor/op-faults';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ClientBase } from 'pg';

/**
 * The ops of a listing's present manifest whose calls do not fit the functions of its package; none while the manifest
 * is not known. Locks the listing, so that a manifest which is stored meanwhile is either seen or has the listing
 * checked again.
 */
export async function misfitsOf(
  client: ClientBase,
  network: Network,
  { type, publisher }: { type: string; publisher: string },
  pkg: GrpcTypes.Package,
): Promise<OpMisfit[]> {
  const key = [network, type, publisher];
  await client.query({
    name: 'lock-listing',
    text: 'select from listings where network = $1 and service_type = $2 and publisher = $3 for update',
    values: key,
  });
  // A statement of its own: one that had to wait for the lock would see the manifests from before.
  const { rows } = await client.query<{ hash: string; ops: ListedOp[] | null }>({
    name: 'ops-of-listing',
    text: `select m.hash, m.body -> 'ops' as ops from listings l join manifests m on m.hash = l.manifest_hash
      where l.network = $1 and l.service_type = $2 and l.publisher = $3`,
    values: key,
  });
  const [manifest] = rows;
  if (!manifest?.ops) return [];
  const modules = new Map(pkg.modules.map(({ name, functions }) => [name, functions]));
  return manifest.ops.flatMap((op, index): OpMisfit[] => {
    if (!isExecutable(op)) return [];
    const called = modules.get(op.module)?.find(({ name }) => name === op.entry);
    const detail = called ? callMisfit(op.call, signatureOf(called)) : 'The package has no such function.';
    if (detail === undefined) return [];
    return [{ code: 'function_mismatch', detail, index, manifestHash: manifest.hash }];
  });
}

/** Has the listings of a manifest that has just been stored checked again, for the functions that its ops call. */
export async function recheckOps(client: ClientBase, network: Network, hash: string): Promise<void> {
  await client.query({
    name: 'recheck-ops',
    text: `update listings set recheck_at = now()
      where network = $1 and manifest_hash = $2 and listed`,
    values: [network, hash],
  });
}
