import type { NewRun } from '../../db/queries/agent/open-run.ts';

/** A spend of the wallet `1`, to be opened by a worker without lines and claims. */
export const newRun = (worker: number, startedAt: Date): NewRun => ({
  network: 'testnet',
  walletId: '1',
  owner: '1',
  action: 'spend',
  request: {},
  requestId: null,
  attempt: 1,
  requestHash: '',
  caller: 'internal',
  agent: 'a',
  worker,
  startedAt,
  claims: [],
  lines: [],
});
