import type { Manifest } from '../../../lib/adaptor/manifest.ts';

/** An adaptor package below `move/adaptors` and what its publisher says about it. */
export interface DemoAdaptor {
  folder: string;
  module: string;
  witness: string;
  manifest: Omit<Manifest, 'serviceType' | 'packageId'>;
}

const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;

export const tipJar: DemoAdaptor = {
  folder: 'adaptors/tip_jar',
  module: 'tip_jar',
  witness: 'TipJar',
  manifest: {
    name: 'Tip Jar',
    category: 'Other',
    summary: 'Jars that anyone tips and only their owner empties.',
    supportedCoins: [SUI],
    feeBps: 0,
    integrator: 'harbour',
    networks: ['testnet'],
    ops: [
      { kind: 'pay', module: 'tip_jar', entry: 'tip', label: 'Tip' },
      { kind: 'custom', module: 'tip_jar', entry: 'empty', label: 'Empty your jar' },
    ],
  },
};

export const termSavings: DemoAdaptor = {
  folder: 'adaptors/term_savings',
  module: 'term_savings',
  witness: 'TermSavings',
  manifest: {
    name: 'Term Savings',
    category: 'Lend',
    summary: 'Deposits for a term at a rate that is set aside on the day of the deposit.',
    supportedCoins: [SUI],
    integrator: 'harbour',
    networks: ['testnet'],
    ops: [
      { kind: 'lend', module: 'term_savings', entry: 'deposit', label: 'Deposit' },
      { kind: 'lend', module: 'term_savings', entry: 'withdraw', label: 'Withdraw with interest' },
    ],
  },
};

export const poolSwap: DemoAdaptor = {
  folder: 'adaptors/pool_swap',
  module: 'pool_swap',
  witness: 'PoolSwap',
  manifest: {
    name: 'Lagoon Swap',
    category: 'Swap',
    summary: 'Swaps two coins in a pool at a constant product.',
    supportedCoins: ['*'],
    feeBps: 30,
    integrator: 'lagoon',
    networks: ['testnet'],
    ops: [
      { kind: 'swap', module: 'pool_swap', entry: 'swap_a_to_b', label: 'Swap A to B' },
      { kind: 'swap', module: 'pool_swap', entry: 'swap_b_to_a', label: 'Swap B to A' },
    ],
  },
};

export const shareVault: DemoAdaptor = {
  folder: 'adaptors/share_vault',
  module: 'share_vault',
  witness: 'ShareVault',
  manifest: {
    name: 'Reef Vault',
    category: 'Stake',
    summary: 'Deposits into a vault are shares of what it holds; yield raises their price.',
    supportedCoins: [SUI],
    integrator: 'reef',
    networks: ['testnet'],
    ops: [
      { kind: 'stake', module: 'share_vault', entry: 'deposit', label: 'Deposit' },
      { kind: 'stake', module: 'share_vault', entry: 'withdraw', label: 'Withdraw' },
    ],
  },
};
