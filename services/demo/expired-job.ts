import { setTimeout as delay } from 'node:timers/promises';
import * as escrow from '@adaptor-marketplace/adaptor/calls/escrow';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Cast } from './cast.ts';
import { SUI } from './coins.ts';
import type { Core } from './core.ts';
import { coinOf, termsOf } from './jobs.ts';
import { createdObject } from './publish.ts';
import type { DemoWallet } from './wallets.ts';

/** A deadline so soon that the story ends after it. A machine on which it is too soon gets twice the time. */
const firstMs = 1_000;
const lastMs = 60_000;

/** Abort codes of the module `job`. */
const badDeadline = 10;
const deadlineNotPassed = 12;

const isAbort = (error: unknown, code: number) =>
  new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::job::`).test(messageOf(error));

/** The owner pays for a job that nobody does: after its deadline the arbiter sends the money back. */
export async function letJobExpire(cast: Cast, core: Core, wallet: DemoWallet): Promise<string> {
  const { owner, arbiter } = cast;
  const brief = 'Water the plants while I am away.';
  let deadlineMs = 0;
  const create = (lastsMs: number): Promise<Executed> =>
    execute(owner, (tx) => {
      deadlineMs = Date.now() + lastsMs;
      const terms = { ...termsOf(cast, wallet), deadlineMs: BigInt(deadlineMs), brief };
      escrow.createJob(tx, core.escrow, { ...terms, funding: coinOf(tx) });
    }).catch((error: unknown) => {
      if (!isAbort(error, badDeadline) || lastsMs >= lastMs) throw error;
      return create(lastsMs * 2);
    });
  const jobId = createdObject(await create(firstMs), `::job::Job<${SUI}>`);
  const job = { packageId: core.escrow, coinType: SUI, jobId };
  for (;;) {
    await delay(Math.max(0, deadlineMs - Date.now()));
    try {
      await execute(arbiter, (tx) => escrow.expire(tx, job));
      return jobId;
    } catch (error) {
      // The chain's clock stands at its last checkpoint.
      if (!isAbort(error, deadlineNotPassed)) throw error;
      await delay(50);
    }
  }
}
