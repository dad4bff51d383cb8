import {
  agents,
  allowlist,
  bearerCap,
  delegate,
  escrow,
  policy,
  rules,
  scopedCap,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Account } from '@adaptor-marketplace/localnet/account';
import { beforeAll, describe, expect, test } from 'vitest';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { agentServicesBody, escrowJobsBody } from '../../services/gateway/reads/agents-and-jobs.ts';
import { type Delegation, delegationsBody } from '../../services/gateway/reads/delegations.ts';
import { policyRulesBody } from '../../services/gateway/reads/policy-rules.ts';
import { delegatesBody, vaultBody } from '../../services/gateway/reads/vault.ts';
import { eventually } from '../support/eventually.ts';
import { type Story, startStory } from '../support/story.ts';
import { useForFile } from '../support/use-for-file.ts';
import { coinType, newWallet } from '../support/wallet-packages.ts';

let run: Story['run'];
let owner: Account;
let ana: Account;
let ben: Account;
let cleo: Account;

const story = useForFile(startStory);
beforeAll(async () => {
  ({ run, owner } = story);
  const { newAccount } = story;
  [ana, ben, cleo] = await Promise.all([newAccount(), newAccount(), newAccount()]);
});

describe('mint, delegate, spend, sub-delegate, revoke', () => {
  let wallet: WalletTarget;
  let walletId: string;
  const shop = `0x${'5'.repeat(64)}`;

  async function fetchDelegations({ address }: Account) {
    const { status, body } = await story.get(`/api/delegations?network=testnet&address=${address}`);
    expect([status, body]).toEqual([200, expect.objectContaining({ address, truncated: false })]);
    return delegationsBody.parse(body);
  }

  async function active(account: Account): Promise<Delegation[]> {
    const { active, revoked } = await fetchDelegations(account);
    expect(revoked).toEqual([]);
    return active;
  }

  const newCap = (executed: Parameters<typeof findCreatedObject>[0]) =>
    findCreatedObject(executed, '::sub_delegate::ScopedCap');

  test('an owner has a vault from the moment that the wallet is made', async () => {
    const path = `/api/vault?network=testnet&owner=${owner.address}`;
    expect(await story.get(path)).toMatchObject({ status: 404, body: { code: 'wallet_not_found' } });
    ({ wallet, walletId } = await newWallet(story));
    const first = vaultBody.parse((await story.get(path)).body);
    expect(first).toMatchObject({ owner: owner.address, walletId, identity: walletId, walletCount: 1 });
    await run(owner, (tx) => wallets.setPaused(tx, wallet, true));
    expect((await story.get(path)).body).toMatchObject({ wallets: [{ walletId, paused: true }] });
    await run(owner, (tx) => wallets.setPaused(tx, wallet, false));
    const second = await newWallet(story);
    expect((await story.get(path)).body).toMatchObject({ walletId: second.walletId, walletCount: 2 });
  });

  test('a cap is worth what is left of it: minted, spent, split twice, refunded', async () => {
    expect(await active(ana)).toEqual([]);
    const budget = 500n;
    const minted = await run(owner, (tx) =>
      scopedCap.mintRoot(tx, wallet, { coinType, budget, maxDepth: 2, recipient: ana.address }),
    );
    const root = newCap(minted);
    expect(await active(ana)).toEqual([
      {
        capId: root,
        kind: 'scoped',
        walletId,
        revoked: false,
        policyVersion: 1,
        vaultVersion: 1,
        coin: coinType,
        remaining: '500',
        remainingHuman: '0.0000005',
        depth: 0,
        maxDepth: 2,
        canSubdelegate: true,
        conditions: ['At most 0.0000005 SUI may be spent.', 'Money may go to anyone.'],
        allowlist: null,
        allowlistId: null,
        enforcesAllowlist: false,
        summary: expect.stringMatching(
          /^Its holder may spend at most 0\.0000005 SUI from wallet .*2 levels deep\.$/,
        ),
      },
    ]);

    await run(ana, (tx) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount: 100n, recipient: shop });
      scopedCap.spend(tx, story.packages.wallet, { capId: root, request });
      policy.confirmSpend(tx, wallet, { coinType, request });
    });
    expect(await active(ana)).toMatchObject([{ capId: root, remaining: '400', remainingHuman: '0.0000004' }]);

    const split = await run(ana, (tx) =>
      scopedCap.subdelegate(tx, wallet, { capId: root, amount: 150n, recipient: ben.address }),
    );
    const child = newCap(split);
    expect(await active(ana)).toMatchObject([{ capId: root, remaining: '250' }]);
    expect(await active(ben)).toMatchObject([
      { capId: child, remaining: '150', depth: 1, maxDepth: 2, canSubdelegate: true },
    ]);

    const again = await run(ben, (tx) =>
      scopedCap.subdelegate(tx, wallet, { capId: child, amount: 50n, recipient: cleo.address }),
    );
    const grandchild = newCap(again);
    expect(await active(ben)).toMatchObject([{ capId: child, remaining: '100' }]);
    expect(await active(cleo)).toMatchObject([
      { capId: grandchild, remaining: '50', depth: 2, canSubdelegate: false },
    ]);

    await run(cleo, (tx) => scopedCap.burn(tx, wallet, grandchild));
    expect(await active(cleo)).toEqual([]);
    await run(ben, (tx) => scopedCap.collectRefund(tx, wallet, child));
    expect(await active(ben)).toMatchObject([{ capId: child, remaining: '150' }]);
  });

  test('a bearer cap is bound by its caveats, and belongs to its holder', async () => {
    const { capAuth } = policy.walletRules(story.packages.wallet);
    const rulesPackageId = story.packages.rules;
    const minted = await run(owner, (tx) => {
      policy.addAuthRule(tx, wallet, capAuth);
      bearerCap.mint(tx, wallet, cleo.address);
    });
    const capId = findCreatedObject(minted, '::cap_auth::DelegateCap');
    expect(await active(cleo)).toMatchObject([
      {
        capId,
        kind: 'bearer',
        canSubdelegate: false,
        conditions: ['Nothing may be spent before the owner sets a condition for bearer caps.'],
      },
    ]);

    const target = { rulesPackageId, wallet: walletId };
    const listed = await run(owner, (tx) => {
      policy.addCaveatRule(tx, wallet, { rule: allowlist.allowlistRule(rulesPackageId), auth: capAuth });
      allowlist.createAllowlist(tx, target);
    });
    const listId = findCreatedObject(listed, '::rule::Allowlist');
    expect(await active(cleo)).toMatchObject([
      {
        allowlist: [],
        allowlistId: listId,
        enforcesAllowlist: true,
        conditions: ["Nothing may be spent because the owner's list of recipients is empty."],
      },
    ]);
    await run(owner, (tx) => allowlist.setAllowed(tx, target, { listId, recipient: shop, allowed: true }));
    expect(await active(cleo)).toMatchObject([
      { allowlist: [shop], conditions: ["Money may go only to the one recipient on the owner's list."] },
    ]);
    // Only bearer caps have this caveat.
    expect(await active(ana)).toMatchObject([{ enforcesAllowlist: false, allowlistId: listId }]);

    await run(cleo, (tx) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount: 10n, recipient: shop });
      bearerCap.prove(tx, story.packages.wallet, { capId, request });
      allowlist.enforceAllowlist(tx, rulesPackageId, { listId, request });
      policy.confirmSpend(tx, wallet, { coinType, request });
    });
    expect(await active(cleo)).toMatchObject([{ capId }]);

    await run(owner, (tx) => policy.setSpendInto(tx, wallet, true));
    expect(await active(cleo)).toMatchObject([{ enforcesAllowlist: false }]);
    await run(owner, (tx) => policy.setSpendInto(tx, wallet, false));

    const renewed = await run(owner, (tx) => allowlist.createAllowlist(tx, target));
    const newList = findCreatedObject(renewed, '::rule::Allowlist');
    expect(await active(cleo)).toMatchObject([{ allowlistId: newList, allowlist: [] }]);
    await run(owner, (tx) => allowlist.retireAllowlist(tx, target, newList));
    expect(await active(cleo)).toMatchObject([
      {
        allowlistId: null,
        allowlist: null,
        conditions: ['Nothing may be spent before the owner makes a list of recipients.'],
      },
    ]);

    // No event reports the transfer.
    await run(cleo, (tx) => tx.transferObjects([tx.object(capId)], ana.address));
    expect(await active(cleo)).toEqual([]);
    expect((await active(ana)).map((cap) => cap.kind).sort()).toEqual(['bearer', 'scoped']);
  });

  test('what is revoked is worth nothing, nor is what was split from it', async () => {
    const [root] = (await active(ana)).filter((cap) => cap.kind === 'scoped');
    await run(owner, (tx) => scopedCap.revoke(tx, wallet, root!.capId));
    const ofAna = await fetchDelegations(ana);
    expect(ofAna.active.map((cap) => cap.kind)).toEqual(['bearer']);
    expect(ofAna.revoked).toMatchObject([
      {
        capId: root!.capId,
        revoked: true,
        canSubdelegate: false,
        summary: 'Revoked: the owner revoked this cap.',
      },
    ]);
    expect((await fetchDelegations(ben)).revoked).toMatchObject([
      { depth: 1, summary: 'Revoked: the owner revoked a cap that this one was split from.' },
    ]);

    await run(owner, (tx) => policy.revokeAll(tx, wallet));
    const afterwards = await fetchDelegations(ana);
    expect(afterwards.active).toEqual([]);
    expect(afterwards.revoked).toMatchObject([
      { policyVersion: 1, vaultVersion: 2 },
      { policyVersion: 1, vaultVersion: 2 },
    ]);
    await run(owner, (tx) => bearerCap.mint(tx, wallet, cleo.address));
    expect(await active(cleo)).toMatchObject([{ policyVersion: 2, vaultVersion: 2 }]);
  });

  test('delegates are shown with their budgets, from their addition to their removal', async () => {
    const path = `/api/vault/delegates?network=testnet&walletId=${walletId}`;
    const read = async () => delegatesBody.parse((await story.get(path)).body);
    expect(await read()).toEqual([]);
    const service = `${story.packages.wallet}::cap_auth::CapAuth`;
    await run(owner, (tx) => {
      delegate.initialize(tx, wallet);
      delegate.add(tx, wallet, ana.address);
      delegate.add(tx, wallet, ben.address);
    });
    expect((await read()).map(({ address }) => address).sort()).toEqual([ana.address, ben.address].sort());
    await run(owner, (tx) => {
      delegate.setServiceAllowance(tx, wallet, { delegate: ana.address, service, amount: 7n });
      delegate.setCoinAllowance(tx, wallet, { delegate: ana.address, coinType, amount: 2n ** 64n - 1n });
      delegate.setExpiry(tx, wallet, { delegate: ana.address, expiresAtMs: 2_000_000_000_000n });
      delegate.remove(tx, wallet, ben.address);
    });
    expect(await read()).toEqual([
      {
        address: ana.address,
        addedMs: expect.any(Number),
        expiresMs: 2_000_000_000_000,
        services: [{ key: service, amount: '7', unlimited: false }],
        coins: [{ key: coinType, amount: '18446744073709551615', unlimited: true }],
        truncated: false,
      },
    ]);
  });
});

describe('hire, fund, submit, release, refund', () => {
  let wallet: WalletTarget;
  let walletId: string;
  const deadlineMs = Date.now() + 3_600_000;
  beforeAll(async () => {
    ({ wallet, walletId } = await newWallet(story));
  });

  async function services() {
    const { status, body } = await story.get('/api/agent-services?network=testnet');
    expect([status, body]).toEqual([200, expect.anything()]);
    return agentServicesBody.parse(body).services;
  }

  async function job(jobId: string) {
    const { status, body } = await story.get(`/api/escrow/jobs?network=testnet&jobId=${jobId}`);
    expect([status, body]).toEqual([200, expect.anything()]);
    return (escrowJobsBody.parse(body) as { job: unknown }).job;
  }

  async function hire(amount: bigint): Promise<escrow.JobTarget & { capId: string }> {
    const hired = await run(owner, (tx) =>
      escrow.createJob(tx, story.packages.escrow, {
        walletId,
        provider: ben.address,
        assessor: cleo.address,
        coinType,
        amount,
        deadlineMs: BigInt(deadlineMs),
        brief: 'Translate the menu.',
      }),
    );
    return {
      packageId: story.packages.escrow,
      coinType,
      jobId: findCreatedObject(hired, `::job::Job<${coinType}>`),
      capId: findCreatedObject(hired, '::cap_assessor::AssessorCap'),
    };
  }

  test('an agent that describes itself is for hire, as it last said', async () => {
    expect(await services()).toEqual([]);
    const profile = { name: 'Ben', description: 'Translates.', skills: ['translate'], cardUrl: null };
    await run(ben, (tx) => agents.register(tx, story.agentRegistry, profile));
    const fresh = { completedJobs: 0, hirers: 0, newHirers: 0, releasedValue: '0', releasedByCoin: [] };
    const { cardUrl: _, ...shown } = profile;
    expect(await services()).toEqual([{ address: ben.address, ...shown, ...fresh }]);
    const better = { ...profile, skills: ['translate', 'print'], cardUrl: 'https://ben.example/card.json' };
    await run(ben, (tx) => agents.update(tx, story.agentRegistry, better));
    expect(await services()).toEqual([{ address: ben.address, ...better, ...fresh }]);
  });

  test('a job goes from hire to release, and counts for its provider', async () => {
    for (const [role, who] of [
      ['provider', ben],
      ['owner', owner],
    ] as const) {
      expect(await story.get(`/api/escrow/jobs?${role}=${who.address}`)).toMatchObject({
        status: 200,
        body: { role, jobs: [] },
      });
    }
    const hired = await hire(100n);
    const open = {
      jobId: hired.jobId,
      state: 'open',
      stateNum: 0,
      amount: '100',
      provider: ben.address,
      payer: owner.address,
      coinType,
      note: null,
      walletId,
      brief: 'Translate the menu.',
      assessorType: `${story.packages.escrow}::cap_assessor::CapAssessor`,
      assessor: cleo.address,
      deadlineMs,
      reviewMs: 72 * 3_600_000,
      createdMs: expect.any(Number),
      refundTo: null,
      refundedTo: null,
      refundReason: null,
    };
    expect(await job(hired.jobId)).toEqual(open);
    const funded = { state: 'funded', stateNum: 1, refundTo: owner.address };
    await run(owner, (tx) => escrow.fund(tx, hired, tx.splitCoins(tx.gas, [100n])[0]!));
    expect(await job(hired.jobId)).toEqual({ ...open, ...funded });
    await run(ben, (tx) => escrow.submit(tx, hired, 'https://menu.example'));
    const submitted = { ...open, ...funded, state: 'submitted', stateNum: 2, note: 'https://menu.example' };
    expect(await job(hired.jobId)).toEqual(submitted);
    expect(await services()).toMatchObject([{ completedJobs: 0 }]);
    await run(cleo, (tx) => escrow.assess(tx, hired, { capId: hired.capId, approve: true }));
    expect(await job(hired.jobId)).toEqual({ ...submitted, state: 'released', stateNum: 3 });
    expect(await services()).toMatchObject([
      { completedJobs: 1, releasedValue: '100', releasedByCoin: [{ coinType, amount: '100', jobs: 1 }] },
    ]);
    // A finished job stays visible.
    await run(owner, (tx) => escrow.deleteJob(tx, hired, walletId));
    expect(await job(hired.jobId)).toMatchObject({ state: 'released' });
  });

  test('a refund says where the money went, and why', async () => {
    const rejected = await hire(30n);
    await run(owner, (tx) => escrow.fund(tx, rejected, tx.splitCoins(tx.gas, [30n])[0]!));
    await run(ben, (tx) => escrow.submit(tx, rejected, 'done'));
    await run(cleo, (tx) => escrow.assess(tx, rejected, { capId: rejected.capId, approve: false }));
    expect(await job(rejected.jobId)).toMatchObject({
      state: 'refunded',
      stateNum: 4,
      refundedTo: owner.address,
      refundReason: 'rejected',
      note: 'done',
    });

    const cancelled = await hire(40n);
    const capped = await run(owner, (tx) => {
      policy.setSpendInto(tx, wallet, true);
      scopedCap.mintRoot(tx, wallet, { coinType, budget: 40n, maxDepth: 0, recipient: owner.address });
    });
    const capId = findCreatedObject(capped, '::sub_delegate::ScopedCap');
    await run(owner, (tx) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount: 40n, recipient: ben.address });
      scopedCap.spend(tx, story.packages.wallet, { capId, request });
      escrow.fundFromWallet(tx, cancelled, { walletId, request });
    });
    expect(await job(cancelled.jobId)).toMatchObject({ state: 'funded', refundTo: walletId });
    await run(owner, (tx) => escrow.cancel(tx, cancelled, walletId));
    expect(await job(cancelled.jobId)).toMatchObject({
      state: 'refunded',
      amount: '40',
      refundedTo: walletId,
      refundReason: 'cancelled',
    });

    for (const [role, who] of [
      ['provider', ben],
      ['owner', owner],
    ] as const) {
      const { body } = await story.get(`/api/escrow/jobs?network=testnet&${role}=${who.address}`);
      expect(body).toMatchObject({
        network: 'testnet',
        role,
        jobs: [{ jobId: cancelled.jobId }, { jobId: rejected.jobId }, { state: 'released' }],
      });
    }
    expect(await services()).toMatchObject([{ completedJobs: 1, releasedValue: '100' }]);
  });

  test('an agent that leaves is no longer for hire', async () => {
    await run(ben, (tx) => agents.unlist(tx, story.agentRegistry));
    expect(await services()).toEqual([]);
  });
});

test('a rule is on the market once its type is checked, as it was last registered, until it is taken off', async () => {
  const read = async () => {
    const { status, body } = await story.get('/api/policy/rules?network=testnet');
    expect([status, body]).toEqual([200, expect.anything()]);
    return policyRulesBody.parse(body);
  };
  const { ruleRegistry, packages } = story;
  const manifest = { manifestUri: 'https://rules.example/rule.json', manifestHash: 'ab'.repeat(32) };
  const caveat = {
    ruleType: allowlist.allowlistRule(packages.rules),
    packageId: packages.rules,
    ...manifest,
  };
  const { capAuth: ruleType } = policy.walletRules(packages.wallet);
  expect((await read()).count).toBe(0);
  await run(owner, (tx) => {
    rules.register(tx, ruleRegistry, { ...caveat, kind: 'caveat' });
    rules.register(tx, ruleRegistry, { ...caveat, ruleType, packageId: packages.wallet, kind: 'auth' });
    // No package defines this type.
    const unreal = { ...caveat, ruleType: `${packages.rules}::rule::Unreal` };
    rules.register(tx, ruleRegistry, { ...unreal, kind: 'caveat' });
  });
  const shown = {
    publisher: owner.address,
    publisherVerified: true,
    manifestUri: manifest.manifestUri,
    version: 1,
    warnings: [],
  };
  const listed = [
    {
      ...shown,
      ruleType: caveat.ruleType,
      kind: 'caveat',
      packageId: packages.rules,
      label: 'Recipient allowlist',
    },
    { ...shown, ruleType, kind: 'auth', packageId: packages.wallet, label: 'Cap auth' },
  ].sort((a, b) => (a.ruleType < b.ruleType ? -1 : 1));
  // The checks ask the node after the events are stored.
  await eventually(async () => expect((await read()).rules).toEqual(listed));
  await run(owner, (tx) => {
    rules.update(tx, ruleRegistry, { ...caveat, manifestUri: 'https://rules.example/2.json' });
    rules.unlist(tx, ruleRegistry, ruleType);
  });
  await eventually(async () =>
    expect((await read()).rules).toEqual([
      {
        ...listed.find((rule) => rule.kind === 'caveat'),
        manifestUri: 'https://rules.example/2.json',
        version: 2,
      },
    ]),
  );
});
