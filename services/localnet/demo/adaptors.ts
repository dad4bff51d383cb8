import type { Manifest } from '../../../lib/adaptor/manifest.ts';
import { SUI } from './coins.ts';
import type { Core } from './core.ts';

/** An adaptor package below `move/adaptors` and what its publisher says about it. */
export interface DemoAdaptor {
  folder: string;
  module: string;
  witness: string;
  manifest: Pick<
    Manifest,
    'name' | 'category' | 'summary' | 'ops' | 'supportedCoins' | 'feeBps' | 'integrator' | 'networks'
  >;
}

type Op = Manifest['ops'][number];
type Argument = NonNullable<Op['call']>['args'][number];

const wallet: Argument = { role: 'wallet' };
const amount: Argument = { role: 'amount' };
const minOut: Argument = { role: 'minOut' };
const clock: Argument = { role: 'clock' };
const shared = (objectId: string): Argument => ({ role: 'object', objectId, mutable: true });
const depositName: Argument = { role: 'pure', type: '0x1::string::String', name: 'name' };

export const tipJar = (jarId: string): DemoAdaptor => ({
  folder: 'tip_jar',
  module: 'tip_jar',
  witness: 'TipJar',
  manifest: {
    name: 'Tip Jar',
    category: 'Other',
    summary: 'A jar that anyone tips from a wallet and only its owner empties.',
    supportedCoins: [SUI],
    feeBps: 0,
    integrator: 'harbour',
    networks: ['testnet'],
    ops: [
      {
        ...{ kind: 'pay', module: 'tip_jar', entry: 'tip', label: 'Tip', intentMode: 'A' },
        call: { typeArgs: [], args: [wallet, shared(jarId), amount, clock] },
      },
      { kind: 'custom', module: 'tip_jar', entry: 'empty', label: 'Empty your jar' },
    ],
  },
});

export const termSavings = (savingsId: string): DemoAdaptor => ({
  folder: 'term_savings',
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
      {
        ...{ kind: 'lend', module: 'term_savings', entry: 'deposit', label: 'Deposit', intentMode: 'A' },
        call: { typeArgs: [], args: [wallet, shared(savingsId), amount, depositName, clock] },
      },
      {
        ...{ kind: 'lend', module: 'term_savings', entry: 'withdraw', label: 'Withdraw with interest' },
        call: { typeArgs: [], args: [wallet, shared(savingsId), depositName, clock] },
      },
    ],
  },
});

export const poolSwap = (poolId: string, { coins }: Core): DemoAdaptor => {
  const swap = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    ...{ kind: 'swap', module: 'pool_swap', entry, label, intentMode: 'D' },
    call: { typeArgs, args: [wallet, shared(poolId), amount, minOut, clock] },
  });
  return {
    folder: 'pool_swap',
    module: 'pool_swap',
    witness: 'PoolSwap',
    manifest: {
      name: 'Lagoon Swap',
      category: 'Swap',
      summary: 'Swaps SUI and Harbour Dollars in a pool at a constant product.',
      supportedCoins: [SUI, coins.dollar],
      feeBps: 30,
      integrator: 'lagoon',
      networks: ['testnet'],
      ops: [
        swap('swap_a_to_b', 'Swap SUI to dollars', ['coinIn', 'coinOut']),
        swap('swap_b_to_a', 'Swap dollars to SUI', ['coinOut', 'coinIn']),
      ],
    },
  };
};

export const shareVault = (vaultId: string, { coins }: Core): DemoAdaptor => {
  const move = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    ...{ kind: 'stake', module: 'share_vault', entry, label, intentMode: 'D' },
    call: { typeArgs, args: [wallet, shared(vaultId), amount, minOut, clock] },
  });
  return {
    folder: 'share_vault',
    module: 'share_vault',
    witness: 'ShareVault',
    manifest: {
      name: 'Reef Vault',
      category: 'Stake',
      summary: 'Deposits into a vault are shares of what it holds; yield raises their price.',
      supportedCoins: [SUI, coins.reefSui],
      integrator: 'reef',
      networks: ['testnet'],
      ops: [
        move('deposit', 'Deposit', ['coinIn', 'coinOut']),
        move('withdraw', 'Withdraw', ['coinOut', 'coinIn']),
      ],
    },
  };
};
