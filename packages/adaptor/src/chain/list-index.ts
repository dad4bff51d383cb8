import { RpcError } from '@protobuf-ts/runtime-rpc';

/** Whether a node refuses to list its ledger by filter: an old version, or one started without that index. */
export function lacksListIndex(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  if (error.code === 'UNIMPLEMENTED') return true;
  return error.code === 'UNAVAILABLE' && /index/i.test(error.message) && /disabled/i.test(error.message);
}
