import {
  agents,
  allowlist,
  escrow,
  policy,
  rules,
  scopedCap,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Account } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import {
  coinType,
  expectAbort,
  expectGone,
  newWallet,
  startWalletPackages,
  type WalletPackages,
} from '../support/wallet-packages.ts';

const manifest = { manifestUri: 'https://rules.example/rule.json', manifestHash: 'ab'.repeat(32) };
const hourMs = 3_600_000;

let packages: WalletPackages['packages'];
let run: WalletPackages['run'];
let owner: Account;
let ana: Account;
let ben: Account;
let cleo: Account;
const shop = `0x${'5'.repeat(64)}`;

const network = useForFile(startWalletPackages);
beforeAll(async () => {
  ({ packages, run, owner } = network);
  const { newAccount } = network;
  [ana, ben, cleo] = await Promise.all([newAccount(), newAccount(), newAccount()]);
});

test('rules of both kinds are listed, updated, reviewed and taken off', async () => {
  const ruleType = allowlist.allowlistRule(packages.rules);
  const { capAuth } = policy.walletRules(packages.wallet);
  const caveat = { ruleType, packageId: packages.rules, ...manifest };
  const listed = await run(owner, (tx) => {
    rules.register(tx, network.ruleRegistry, { ...caveat, kind: 'caveat' });
    rules.register(tx, network.ruleRegistry, {
      ruleType: capAuth,
      packageId: packages.wallet,
      ...manifest,
      kind: 'auth',
    });
    rules.update(tx, network.ruleRegistry, caveat);
  });
  expect(listed.names).toEqual(['registry::Registered', 'registry::Registered', 'registry::Updated']);
  expect(listed.getEvent('registry::Updated')).toMatchObject({ ruleType, kind: 'caveat', version: 2 });
  const review = { ruleType, score: 5, commentUri: '' };
  const reviewed = await run(ana, (tx) => rules.attest(tx, network.ruleRegistry, review));
  expect(reviewed.getEvent('registry::Attested')).toMatchObject({
    attester: ana.address,
    score: 5,
    publisher: owner.address,
  });
  await expectAbort('registry', 9, owner, (tx) => rules.attest(tx, network.ruleRegistry, review));
  const off = await run(owner, (tx) => rules.unlist(tx, network.ruleRegistry, ruleType));
  expect(off.names).toEqual(['registry::Unlisted']);
  await expectAbort('registry', 11, owner, (tx) =>
    rules.register(tx, network.ruleRegistry, { ...caveat, kind: 'auth' }),
  );
});

test('an agent describes itself, and leaves', async () => {
  const profile = { name: 'Ana', description: '', skills: ['translate', 'swap'], cardUrl: null };
  const registered = await run(ana, (tx) => agents.register(tx, network.agentRegistry, profile));
  expect(registered.getEvent('registry::AgentRegistered')).toMatchObject({ agent: ana.address, ...profile });
  const better = { ...profile, description: 'Übersetzt.', cardUrl: 'https://ana.example/card.json' };
  const updated = await run(ana, (tx) => agents.update(tx, network.agentRegistry, better));
  expect(updated.getEvent('registry::AgentUpdated')).toMatchObject({ ...better, version: 2 });
  const left = await run(ana, (tx) => agents.unlist(tx, network.agentRegistry));
  expect(left.getEvent('registry::AgentUnlisted')).toMatchObject({ agent: ana.address, version: 2 });
});

describe('hire, fund, submit, release, refund', () => {
  let wallet: WalletTarget;
  let walletId: string;
  beforeAll(async () => {
    ({ wallet, walletId } = await newWallet(network));
  });

  /** Creates a job of 100 base units for Ben that Cleo judges. Its deadline is an hour after the chain's time. */
  async function hire(reviewMs?: bigint): Promise<escrow.JobTarget & { capId: string }> {
    const hired = await run(owner, (tx) =>
      escrow.createJob(tx, packages.escrow, {
        walletId,
        provider: ben.address,
        assessor: cleo.address,
        coinType,
        amount: 100n,
        deadlineMs: BigInt(Date.now() + hourMs),
        ...(reviewMs === undefined ? {} : { reviewMs }),
        brief: 'Translate the menu.',
      }),
    );
    expect(hired.names).toEqual(['job::JobCreated', 'cap_assessor::AssessorCapMinted']);
    expect(hired.getEvent('job::JobCreated')).toMatchObject({ walletId, payer: owner.address });
    expect(hired.getEvent('cap_assessor::AssessorCapMinted')).toMatchObject({ assessor: cleo.address });
    const jobId = findCreatedObject(hired, `::job::Job<${coinType}>`);
    const capId = findCreatedObject(hired, '::cap_assessor::AssessorCap');
    return { packageId: packages.escrow, coinType, jobId, capId };
  }

  const fund = (job: escrow.JobTarget, by: Account, amount = 100n) =>
    run(by, (tx) => {
      const [coin] = tx.splitCoins(tx.gas, [amount]);
      escrow.fund(tx, job, coin!);
    });
  const submit = (job: escrow.JobTarget) => run(ben, (tx) => escrow.submit(tx, job, 'https://menu.example'));

  test('approved work is paid, and the job can be deleted', async () => {
    const job = await hire();
    const funded = await fund(job, owner);
    expect(funded.getEvent('job::JobFunded')).toMatchObject({ funder: owner.address, fromWallet: false });
    expect((await submit(job)).names).toEqual(['job::JobSubmitted']);
    const released = await run(cleo, (tx) => escrow.assess(tx, job, { capId: job.capId, approve: true }));
    expect(released.getEvent('job::JobReleased')).toMatchObject({ jobId: job.jobId, provider: ben.address });
    await run(owner, (tx) => escrow.deleteJob(tx, job, walletId));
    await expectGone(network, job.jobId);
  });

  test('rejected work is refunded to the payer', async () => {
    const job = await hire();
    await expectAbort('job', 8, ana, (tx) => {
      const [coin] = tx.splitCoins(tx.gas, [1n]);
      escrow.fund(tx, job, coin!);
    });
    await fund(job, ana);
    await submit(job);
    const refund = await run(cleo, (tx) => escrow.assess(tx, job, { capId: job.capId, approve: false }));
    expect(refund.getEvent('job::JobRefunded')).toMatchObject({
      refundedTo: ana.address,
      reason: 'rejected',
    });
  });

  test('money of the wallet goes back into the wallet', async () => {
    const job = await hire();
    const capped = await run(owner, (tx) => {
      policy.setSpendInto(tx, wallet, true);
      scopedCap.mintRoot(tx, wallet, {
        coinType,
        budget: 100n,
        maxDepth: 0,
        recipient: ana.address,
      });
    });
    expect(capped.names).toEqual(['policy::SpendIntoChanged', 'sub_delegate::ScopedCapMinted']);
    const capId = findCreatedObject(capped, '::sub_delegate::ScopedCap');
    const pay = (recipient: string) => (tx: Transaction) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount: 100n, recipient });
      scopedCap.spend(tx, packages.wallet, { capId, request });
      escrow.fundFromWallet(tx, job, { walletId, request });
    };
    await expectAbort('job', 9, ana, pay(shop));
    const funded = await run(ana, pay(ben.address));
    expect(funded.names).toEqual([
      'sub_delegate::ScopedSpent',
      'policy::SpendConfirmed',
      'wallet::CoinWithdrawn',
      'job::JobFunded',
    ]);
    const cancelled = await run(owner, (tx) => escrow.cancel(tx, job, walletId));
    expect(cancelled.getEvent('job::JobRefunded')).toMatchObject({
      refundedTo: walletId,
      reason: 'cancelled',
    });
    const coinId = findCreatedObject(cancelled, `::coin::Coin<${coinType}>`);
    const swept = await run(ana, (tx) => wallets.sweepCoin(tx, wallet, { coinType, coinId }));
    expect(swept.names).toEqual(['wallet::CoinDeposited', 'wallet::LegacyCoinSwept']);
  });

  test('whatever is called in whatever order, a job follows its states and pays out what was paid in', async () => {
    type State = 'open' | 'funded' | 'submitted' | 'released' | 'refunded';
    /** Each step with the account that may take it, the states that allow it, and the state of the job afterwards. */
    const steps = {
      fund: { by: ana, from: ['open'], to: 'funded' },
      submit: { by: ben, from: ['funded'], to: 'submitted' },
      approve: { by: cleo, from: ['submitted'], to: 'released' },
      reject: { by: cleo, from: ['submitted'], to: 'refunded' },
      cancel: { by: owner, from: ['open', 'funded'], to: 'refunded' },
      expire: { by: ana, from: [], to: 'refunded' },
    } satisfies Record<string, { by: Account; from: State[]; to: State }>;
    type Step = keyof typeof steps;
    const calls = (job: Awaited<ReturnType<typeof hire>>): Record<Step, (tx: Transaction) => void> => ({
      fund: (tx) => escrow.fund(tx, job, tx.splitCoins(tx.gas, [100n])[0]!),
      submit: (tx) => escrow.submit(tx, job, 'done'),
      approve: (tx) => escrow.assess(tx, job, { capId: job.capId, approve: true }),
      reject: (tx) => escrow.assess(tx, job, { capId: job.capId, approve: false }),
      cancel: (tx) => escrow.cancel(tx, job, walletId),
      expire: (tx) => escrow.expire(tx, job),
    });
    const anyOrder = fc.array(fc.constantFrom(...(Object.keys(steps) as Step[])), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        const job = await hire();
        let state: State = 'open';
        let held = 0n;
        for (const step of order) {
          const { by, from, to } = steps[step];
          const done = run(by, calls(job)[step]);
          if (!from.some((one) => one === state)) {
            await expect(done).rejects.toThrow(/abort code: \d+, in '0x[0-9a-f]{64}::job::/);
            continue;
          }
          const { names, getEvent } = await done;
          const [name] = names;
          if (name === 'job::JobFunded') held += 100n;
          if (to === 'released' || to === 'refunded') {
            expect(getEvent(name!)).toMatchObject({ amount: `${held}` });
          }
          state = to;
        }
      }),
      { numRuns: 12 },
    );
  });

  // This test runs last, because the chain's time does not go back.
  test('a silent assessor locks no money', async () => {
    const [job, late] = [await hire(3n * BigInt(hourMs)), await hire()];
    await fund(job, owner);
    await submit(job);
    await fund(late, owner);
    await expectAbort('job', 12, ana, (tx) => escrow.expire(tx, late));
    network.localnet.misbehaviour.set({ clock: { offsetMs: 2 * hourMs } });
    // A job without a submission ends with the deadline. A submitted job has its review period first.
    await eventually(() => run(ana, (tx) => escrow.expire(tx, late)));
    await expectAbort('job', 12, ana, (tx) => escrow.expire(tx, job));
    network.localnet.misbehaviour.set({ clock: { offsetMs: 5 * hourMs } });
    const expired = await eventually(() => run(ana, (tx) => escrow.expire(tx, job)));
    expect(expired.getEvent('job::JobRefunded')).toMatchObject({
      refundedTo: owner.address,
      reason: 'expired',
    });
  });
});
