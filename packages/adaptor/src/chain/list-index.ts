import { RpcError } from '@protobuf-ts/runtime-rpc';

/** Returns `true` if a node cannot list its ledger by filter: it is an old version, or it runs without that index. */
export function lacksListIndex(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  if (error.code === 'UNIMPLEMENTED') return true;
  return error.code === 'UNAVAILABLE' && /index/i.test(error.message) && /disabled/i.test(error.message);
}
