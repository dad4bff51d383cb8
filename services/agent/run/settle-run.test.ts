import type { SuiClientTypes } from '@mysten/sui/client';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import type { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import type { Node } from '../chain/node.ts';
import { defaultSettleTiming } from '../chain/settle.ts';
import type { Progress } from './progress.ts';
import { type SettleDependencies, settle } from './settle-run.ts';

/** Settles a transaction of two calls that the chain executed, with an error in the second one. */
async function settleFailed(stepOfCall?: readonly string[]): Promise<string> {
  const digest = '11111111111111111111111111111111';
  const tx = new Transaction();
  tx.setSender('0x1');
  tx.setGasPrice(1);
  tx.setGasBudget(1);
  tx.setGasPayment([{ objectId: '0x5', version: '1', digest }]);
  const gasUsed = {
    computationCost: '1',
    storageCost: '0',
    storageRebate: '0',
    nonRefundableStorageFee: '0',
  };
  const error = { $kind: 'Unknown', Unknown: null, message: 'the reason', command: 1 } as const;
  const executed = {
    $kind: 'FailedTransaction',
    FailedTransaction: {
      status: { success: false, error },
      effects: { gasUsed, gasObject: null } as unknown as SuiClientTypes.TransactionEffects,
    },
  };
  const node = {
    client: { executeTransaction: async () => executed },
    settings: { network: 'testnet', walletPackageId: '0x2' },
    versions: { all: async () => ({ status: 'found', value: ['0x2'] }) },
    functions: { signature: async () => ({ status: 'absent' }) },
  } as unknown as Node;
  const failures: RunFailedError[] = [];
  const progress = { fail: async (failure: RunFailedError) => void failures.push(failure) };
  const dependencies: Partial<SettleDependencies> = {
    timing: defaultSettleTiming,
    sending: new Set(),
    count: () => undefined,
    log: silentLogger,
    signal: new AbortController().signal,
  };
  const run = { run: 1, worker: 1, request: { walletId: '0x9', action: 'compose' }, node };
  const signed = { transaction: await tx.build(), signatures: [], digest, bounds: null, signedCheckpoint: 1 };
  await settle(
    dependencies as SettleDependencies,
    { ...run, progress: progress as unknown as Progress, ...(stepOfCall && { stepOfCall }) },
    signed,
  );
  return failures.map(({ message }) => message).join();
}

test('the error of an executed composition names its step, as that of its simulation does', async () => {
  const named = await settleFailed(['Step 1 (spend)', 'Step 2 (swap)']);
  expect(named).toBe('Step 2 (swap): The chain refused it: the reason');
});

test('the error of a transaction that another worker drafted names no step', async () => {
  expect(await settleFailed()).toBe('The chain refused it: the reason');
});
