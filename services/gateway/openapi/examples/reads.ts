import type { OperationExample } from './example.ts';
import { atMs, id, manifestUri, monthMs, owner, publisher, serviceType, sui, walletId } from './values.ts';

const jobId = id('3');
const provider = id('4');
const allowance = { amount: '175000000', unlimited: false };

export const readExamples: Record<string, OperationExample> = {
  listDelegations: {
    query: { address: provider },
    answer: {
      address: provider,
      network: 'testnet',
      active: [
        {
          capId: id('5'),
          kind: 'scoped',
          walletId,
          revoked: false,
          policyVersion: 1,
          vaultVersion: 1,
          coin: sui,
          remaining: '1900000000',
          remainingHuman: '1.9',
          depth: 0,
          maxDepth: 3,
          canSubdelegate: true,
          conditions: ['At most 1.9 SUI may be spent.', 'Money may go to anyone.'],
          allowlist: null,
          allowlistId: null,
          enforcesAllowlist: false,
          summary: `Its holder may spend at most 1.9 SUI from wallet ${walletId}. Money may go to anyone.`,
        },
      ],
      revoked: [],
      truncated: false,
    },
  },
  findVault: {
    query: { owner },
    answer: {
      network: 'testnet',
      owner,
      walletId,
      identity: walletId,
      walletCount: 1,
      wallets: [{ walletId, identity: walletId, paused: false, createdMs: atMs }],
    },
  },
  listDelegates: {
    query: { walletId },
    answer: [
      {
        address: provider,
        addedMs: atMs,
        expiresMs: atMs + monthMs,
        services: [{ key: serviceType, ...allowance }],
        coins: [{ key: sui, ...allowance }],
        truncated: false,
      },
    ],
  },
  listPolicyRules: {
    query: { limit: '1' },
    answer: {
      network: 'testnet',
      count: 1,
      rules: [
        {
          ruleType: `${id('c')}::rule::RecipientAllowlist`,
          kind: 'caveat',
          packageId: id('c'),
          manifestUri,
          publisher,
          version: 1,
          label: 'Recipient allowlist',
          publisherVerified: true,
          warnings: [],
        },
      ],
    },
  },
  listAgentServices: {
    query: { limit: '1' },
    answer: {
      network: 'testnet',
      count: 1,
      services: [
        {
          address: provider,
          name: 'Contract reviewer',
          description: 'Reads Move packages and writes down what can go wrong.',
          skills: ['audit', 'move'],
          completedJobs: 2,
          releasedValue: '1000000000',
          releasedByCoin: [{ coinType: sui, amount: '1000000000', jobs: 2 }],
        },
      ],
    },
  },
  findEscrowJobs: {
    query: { jobId },
    answer: {
      network: 'testnet',
      job: {
        jobId,
        state: 'funded',
        stateNum: 1,
        amount: '500000000',
        provider,
        payer: owner,
        coinType: sui,
        note: null,
        walletId,
        brief: 'Translate the manifest into three languages.',
        assessor: null,
        deadlineMs: atMs + monthMs,
        reviewMs: 259_200_000,
        createdMs: atMs,
        refundedTo: null,
        refundReason: null,
      },
    },
  },
};
