import { adaptor, amount, type DemoAdaptor, minOut, op, provided, shared, type Venue } from './publish.ts';

export const shareVault = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor => {
  const move = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]) =>
    op('stake', entry, label, typeArgs, [shared(objectId), amount, minOut], 'D');
  return adaptor('share_vault', 'ShareVault', {
    name: 'Reef Vault',
    category: 'Stake',
    summary:
      'Deposits into a vault are shares of what it holds; yield raises their price. Withdraw at any time.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: [
      move('deposit', 'Deposit', ['coinIn', 'coinOut']),
      move('withdraw', 'Withdraw', ['coinOut', 'coinIn']),
    ],
  });
};

export const liquidStaking = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor => {
  const move = (entry: string, label: string, share: 'coinIn' | 'coinOut') =>
    op('stake', entry, label, [share], [shared(objectId), amount, minOut], 'D');
  return adaptor('liquid_staking', 'LiquidStaking', {
    name: 'Tide Staking',
    category: 'Stake',
    summary: 'Stakes SUI for a share that rewards make dearer; leaving at once costs a fee.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: [move('stake', 'Stake', 'coinOut'), move('unstake', 'Unstake', 'coinIn')],
  });
};

const name = provided('name', '0x1::string::String');

export const termSavings = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('term_savings', 'TermSavings', {
    name: 'Term Savings',
    category: 'Lend',
    summary: 'Deposits for a term at a rate that is set aside on the day of the deposit.',
    supportedCoins: [coins.asset],
    integrator: 'harbour',
    ops: [
      op('lend', 'deposit', 'Deposit', [], [shared(objectId), amount, name], 'A'),
      op('lend', 'withdraw', 'Withdraw with interest', [], [shared(objectId), name]),
    ],
  });

export const tipJar = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('tip_jar', 'TipJar', {
    name: 'Tip Jar',
    category: 'Other',
    summary: 'A jar that anyone tips from a wallet and only its owner empties.',
    supportedCoins: [coins.asset],
    feeBps: 0,
    integrator: 'harbour',
    ops: [
      op('pay', 'tip', 'Tip', [], [shared(objectId), amount], 'A'),
      { kind: 'custom', entry: 'empty', label: 'Empty your jar' },
    ],
  });
