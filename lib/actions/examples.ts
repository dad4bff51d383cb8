import type { z } from 'zod';
import { exampleUsdc, protocolActions } from './protocol-actions.ts';
import type { Action, actionRequest } from './request.ts';

type Example = z.input<typeof actionRequest>;

const id = (digit: string) => `0x${digit.repeat(64)}`;
const common = {
  owner: id('a'),
  walletId: id('b'),
  network: 'testnet',
  requestId: 'rebalance-2026-03-14',
} as const;

const { swap, lendingADeposit } = protocolActions;
const ofProtocols = Object.entries(protocolActions).map(([action, { example }]) => [
  action,
  { ...common, action, ...example },
]);

/** A request of each action, for the API's description and as a starting point. */
export const examples = {
  spend: {
    ...common,
    action: 'spend',
    coinType: '0x2::sui::SUI',
    amount: '250000000',
    recipient: id('d'),
  },
  ...Object.fromEntries(ofProtocols),
  call: {
    ...common,
    action: 'call',
    adaptor: `${id('9')}::savings::Savings`,
    op: 'savings::deposit',
    spends: [{ coinType: exampleUsdc, amount: '5000000' }],
    receivesAtLeast: [],
    values: { name: 'holidays' },
  },
  compose: {
    ...common,
    action: 'compose',
    steps: [
      { action: 'swap', ...swap.example },
      { action: 'lendingADeposit', ...lendingADeposit.example, amount: '2950000' },
    ],
  },
} as Record<Action, Example>;
