import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import {
  adaptor,
  amount,
  clock,
  type DemoAdaptor,
  minOut,
  type Op,
  type PendingVenue,
  provided,
  SUI,
  shared,
  type Venue,
  wallet,
} from './publish.ts';

/** Appends a vault, whose share coin `treasury` mints from then on for it alone. */
export function createVault(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  { treasury, seed }: { treasury: string; seed: TransactionArgument },
): PendingVenue<'asset' | 'share'> {
  tx.moveCall({
    target: `${packageId}::vault::create`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(treasury), seed],
  });
  return { packageId, coins, objectType: `${packageId}::vault::Vault<${coins.asset},${coins.share}>` };
}

/** Appends a yield for the vault's depositors, which anyone may give. */
export function addYield(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'asset' | 'share'>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::vault::add_yield`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(objectId), coin],
  });
}

/**
 * Appends a pool of staked SUI, whose share coin `treasury` mints from then on for it alone. The cap that adds rewards
 * goes to `operator`.
 */
export function createStakePool(
  tx: Transaction,
  packageId: string,
  { share }: Record<'share', string>,
  terms: { treasury: string; seed: TransactionArgument; unstakeFeeBps: number; operator: string },
): PendingVenue<'asset' | 'share'> {
  const cap = tx.moveCall({
    target: `${packageId}::liquid_stake::create`,
    typeArguments: [share],
    arguments: [tx.object(terms.treasury), terms.seed, tx.pure.u64(terms.unstakeFeeBps)],
  });
  tx.transferObjects([cap], terms.operator);
  const objectType = `${packageId}::liquid_stake::StakePool<${share}>`;
  return { packageId, coins: { asset: SUI, share }, objectType };
}

/** Appends a reward of the stake. One reward is at most the same share of the stake as the fee for unstaking. */
export function addStakeReward(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'asset' | 'share'>,
  { capId, coin }: { capId: string; coin: TransactionArgument },
): void {
  tx.moveCall({
    target: `${packageId}::liquid_stake::add_reward`,
    typeArguments: [coins.share],
    arguments: [tx.object(objectId), tx.object(capId), coin],
  });
}

/** Appends savings without a reserve, which earn `rateBps` over a term. */
export function createSavings(
  tx: Transaction,
  packageId: string,
  { termMs, rateBps }: { termMs: bigint; rateBps: number },
): PendingVenue<'asset'> {
  tx.moveCall({
    target: `${packageId}::term_savings::create`,
    arguments: [tx.pure.u64(termMs), tx.pure.u64(rateBps)],
  });
  return { packageId, coins: { asset: SUI }, objectType: `${packageId}::term_savings::Savings` };
}

/** Appends to what interest is paid from. */
export function fundSavings(
  tx: Transaction,
  { packageId, objectId }: Venue<'asset'>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::term_savings::fund`,
    arguments: [tx.object(objectId), coin],
  });
}

/** Appends a jar of the sender's. */
export function openJar(tx: Transaction, packageId: string): PendingVenue<'asset'> {
  tx.moveCall({ target: `${packageId}::tip_jar::open` });
  return { packageId, coins: { asset: SUI }, objectType: `${packageId}::tip_jar::Jar` };
}

export const shareVault = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor => {
  const move = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    kind: 'stake',
    entry,
    label,
    intentMode: 'D',
    call: { typeArgs, args: [wallet, shared(objectId), amount, minOut, clock] },
  });
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
  const move = (entry: string, label: string, share: 'coinIn' | 'coinOut'): Op => ({
    kind: 'stake',
    entry,
    label,
    intentMode: 'D',
    call: { typeArgs: [share], args: [wallet, shared(objectId), amount, minOut, clock] },
  });
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
      {
        kind: 'lend',
        entry: 'deposit',
        label: 'Deposit',
        intentMode: 'A',
        call: { typeArgs: [], args: [wallet, shared(objectId), amount, name, clock] },
      },
      {
        kind: 'lend',
        entry: 'withdraw',
        label: 'Withdraw with interest',
        call: { typeArgs: [], args: [wallet, shared(objectId), name, clock] },
      },
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
      {
        kind: 'pay',
        entry: 'tip',
        label: 'Tip',
        intentMode: 'A',
        call: { typeArgs: [], args: [wallet, shared(objectId), amount, clock] },
      },
      { kind: 'custom', entry: 'empty', label: 'Empty your jar' },
    ],
  });
