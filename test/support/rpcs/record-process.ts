/** Loaded with `--import` into a process of the service: writes each RPC to the file `RPC_RECORD` at its first call. */
import { appendFileSync } from 'node:fs';
import { recordRpcs } from './record-rpcs.ts';

const seen = new Set<string>();
recordRpcs((rpc) => {
  if (seen.has(rpc)) return;
  seen.add(rpc);
  appendFileSync(process.env.RPC_RECORD!, `${rpc}\n`);
});
