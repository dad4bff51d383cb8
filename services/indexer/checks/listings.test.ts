import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ListingCheck } from '../../../db/queries/checks.ts';
import type { CheckDependencies } from '../queue/work-queue.ts';
import { createListingQueues } from './listings.ts';

test('a read of the chain that fails while the manifest is read fails the check, and not the process', async () => {
  const fail = () => Promise.reject(new Error('the reader broke'));
  const broken = new Proxy({}, { get: () => fail });
  const client = { ledgerService: broken, movePackageService: broken, close: () => undefined };
  const reading = Promise.withResolvers<{ rows: never[] }>();
  const dependencies = {
    db: { pool: { query: () => reading.promise } },
    settings: { network: 'testnet' },
    providers: { client: () => client },
  } as unknown as CheckDependencies;
  const store = { add: async () => undefined, hasRoom: true };
  const queues = createListingQueues('listings', dependencies, store);
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));

  const listing = { type: '0x5::vault::Vault', publisher: '0x7', packageId: '0x5', attempts: 2 };
  const slot = { isContended: false, free: () => undefined, moveTo: () => false };
  const work = queues.first.work(listing as unknown as ListingCheck, slot);
  const failed = expect(work).rejects.toThrow('the reader broke');
  await delay(50);
  reading.resolve({ rows: [] });
  await failed;
  expect(unhandled).not.toHaveBeenCalled();
});
