import {
  delegate as delegates,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { dollars, findCreatedObject, milliSui, SUI } from '../../../services/demo/publish.ts';
import type { DemoWallet } from '../../../services/demo/wallets.ts';
import type { DemoTools } from '../demo-tools.ts';
import { bought } from './effects.ts';
import { coinNames, type Holdings } from './holdings.ts';
import type { ActionRequests, Fields } from './requests.ts';

/** The position and the code of an abort in a contract. */
interface Abort {
  /** `module::function` of the wallet package, or of `venue`. */
  place: string;
  code: number;
  /** Name of the code; only for the wallet package. */
  name?: string;
  /** A folder of `move/protocols`. */
  venue?: string;
}

/**
 * An action that was drafted while everything was granted, and the abort with which the chain later refuses its
 * transaction.
 */
interface Refusal {
  what: string;
  request(ask: ActionRequests, held: Holdings): Fields;
  after: Turn;
  abort: Abort;
}

/** Changes of the wallet after the drafts, in this order. */
export const turns = ['lowered', 'paused', 'expired', 'removed'] as const;
export type Turn = (typeof turns)[number];

/** Makes a change. */
export const turnTo: Record<Turn, (world: DemoTools, wallet: DemoWallet) => Promise<unknown>> = {
  async lowered(world, { target, made, walletId }) {
    const { demo, owner, actor } = world;
    const { venues, packages } = demo;
    const { flashSui = '', creditUsd = '', anchorUsd = '', dollar = '' } = coinNames(world);
    const delegate = actor(walletId).address;
    await execute(owner, (tx) => {
      scopedCaps.revoke(tx, target, findCreatedObject(made, '::ScopedCap'));
      const grant = (slot: keyof typeof venues, coinType: string, allowance: bigint) => {
        const service = venues[slot].serviceType;
        wallets.grantServiceCoin(tx, target, { service, coinType, allowance });
      };
      grant('lendingA', SUI, milliSui(100) - 1n);
      grant('lendingA', flashSui, 0n);
      grant('stablecoin', SUI, milliSui(2_000) - 1n);
      grant('clmm', SUI, 1n);
      wallets.revokeService(tx, target, venues.lendingC.serviceType);
      wallets.revokeService(tx, target, venues.current.serviceType);
      const setBudget = (slot: keyof typeof venues, amount: bigint) => {
        const service = venues[slot].serviceType;
        delegates.setServiceAllowance(tx, target, { delegate, service, amount });
      };
      setBudget('lendingB', dollars(1) - 1n);
      setBudget('liquidStake', 0n);
      delegates.setCoinAllowance(tx, target, {
        delegate,
        coinType: creditUsd,
        amount: dollars(0.5) - 1n,
      });
      delegates.setCoinAllowance(tx, target, { delegate, coinType: anchorUsd, amount: 0n });
      delegates.setCoinAllowance(tx, target, { delegate, coinType: dollar, amount: dollars(2) - 1n });
      // The owner takes the issuer's account out of the wallet.
      tx.moveCall({
        target: `${packages.wallet}::wallet::reclaim_service_asset`,
        typeArguments: [
          venues.stablecoin.serviceType,
          `${packages.protocols.stablecoin}::stablecoin::Account`,
        ],
        arguments: [tx.object(target.wallet), tx.pure.string('stablecoin account')],
      });
      // The owner sells SUI to the same pool, so that the price slips.
      const { coins, objects } = venues.swap;
      const proceeds = tx.moveCall({
        target: `${packages.protocols.pool}::pool::swap_a_to_b`,
        typeArguments: [coins.a!, coins.b!],
        arguments: [tx.object(objects.pool!), tx.splitCoins(tx.gas, [milliSui(100)]), tx.pure.u64(1)],
      });
      tx.transferObjects([proceeds], owner.address);
    });
  },
  paused: ({ owner }, { target }) => execute(owner, (tx) => wallets.setPaused(tx, target, true)),
  expired: ({ owner, actor }, { target, walletId }) =>
    execute(owner, (tx) => {
      wallets.setPaused(tx, target, false);
      delegates.setExpiry(tx, target, { delegate: actor(walletId).address, expiresAtMs: 1n });
    }),
  removed: ({ owner, actor }, { target, walletId }) =>
    execute(owner, (tx) => delegates.remove(tx, target, actor(walletId).address)),
};

/**
 * Aborts of a service whose grant was revoked for one coin, and of a service that was revoked altogether. Its action
 * does not begin.
 */
const notGranted = { place: 'intent::assert_authorized', code: 0, name: 'EAuthMissing' };
const unknownService = { place: 'wallet::assert_knows', code: 10, name: 'EAuthServiceNotFound' };
const grantExceeded = { place: 'wallet::pay_by_service', code: 16, name: 'EGrantExceeded' };
const noCoinBudget = { place: 'delegate::debit', code: 6, name: 'ECoinNotSet' };
const coinBudgetUsed = { place: 'delegate::debit', code: 8, name: 'EInsufficientCoinAllowance' };
const paused = { place: 'wallet::assert_serves', code: 14, name: 'EPaused' };

/** Refusals by the chain: at least one for every action. */
export const refusals: Refusal[] = [
  {
    what: 'a spend by a cap that was revoked',
    after: 'lowered',
    request: (ask) => ask.spend(),
    abort: { place: 'policy::confirm', code: 12, name: 'ECapRevoked' },
  },
  {
    what: 'a swap at a price that has slipped',
    after: 'lowered',
    request: (ask, held) => ask.swap(milliSui(100), bought(milliSui(100), held)),
    abort: { venue: 'pool', place: 'pool::swap', code: 0 },
  },
  {
    what: 'a deposit at lender A above the grant',
    after: 'lowered',
    request: (ask) => ask.lendingA.deposit(milliSui(100)),
    abort: grantExceeded,
  },
  {
    what: 'a withdrawal from lender A that may no longer take its shares',
    after: 'lowered',
    request: (ask) => ask.lendingA.withdraw(milliSui(1)),
    abort: notGranted,
  },
  {
    what: 'a deposit at lender B above the budget for the service',
    after: 'lowered',
    request: (ask) => ask.lendingB.deposit(dollars(1)),
    abort: { place: 'delegate::debit', code: 7, name: 'EInsufficientServiceAllowance' },
  },
  {
    what: 'a withdrawal from lender B above the budget for its shares',
    after: 'lowered',
    request: (ask) => ask.lendingB.withdraw(dollars(0.5)),
    abort: coinBudgetUsed,
  },
  {
    what: 'a deposit at lender C that was revoked',
    after: 'lowered',
    request: (ask) => ask.lendingC.deposit(dollars(1)),
    abort: unknownService,
  },
  {
    what: 'a withdrawal from lender C that was revoked',
    after: 'lowered',
    request: (ask) => ask.lendingC.withdraw(dollars(0.5)),
    abort: unknownService,
  },
  {
    what: 'a loan for more collateral than is granted',
    after: 'lowered',
    request: (ask) => ask.stablecoin.borrow(),
    abort: grantExceeded,
  },
  {
    what: 'savings of a coin without a budget',
    after: 'lowered',
    request: (ask) => ask.stablecoin.save(),
    abort: noCoinBudget,
  },
  {
    what: 'the end of savings whose account the owner took back',
    after: 'lowered',
    request: (ask) => ask.stablecoin.withdrawSavings(),
    abort: { place: 'wallet::remove_asset', code: 21, name: 'EAssetNotFound' },
  },
  {
    what: 'a repayment in a coin without a budget',
    after: 'lowered',
    request: (ask) => ask.stablecoin.repay(),
    abort: noCoinBudget,
  },
  {
    what: 'the end of a stake without a budget for the service',
    after: 'lowered',
    request: (ask) => ask.liquidStake.unstake(),
    abort: { place: 'delegate::debit', code: 5, name: 'EServiceNotSet' },
  },
  {
    what: 'a position for more than is granted',
    after: 'lowered',
    request: (ask) => ask.clmm.open(),
    abort: grantExceeded,
  },
  {
    what: 'margin above the budget for the coin',
    after: 'lowered',
    request: (ask) => ask.perp.depositMargin(),
    abort: coinBudgetUsed,
  },
  {
    what: 'supply to a market that was revoked',
    after: 'lowered',
    request: (ask) => ask.currentSupply(),
    abort: unknownService,
  },
  {
    what: 'a composition whose second step is refused: the first one moves nothing either',
    request: (ask) => ask.compose(ask.swap(milliSui(1), 1n), ask.lendingC.deposit(dollars(1))),
    after: 'lowered',
    abort: unknownService,
  },
  {
    what: 'more liquidity of a paused wallet',
    after: 'paused',
    request: (ask) => ask.clmm.add(),
    abort: paused,
  },
  {
    what: 'less liquidity of a paused wallet',
    after: 'paused',
    request: (ask) => ask.clmm.remove(1n),
    abort: paused,
  },
  {
    what: 'fees of a paused wallet',
    after: 'paused',
    request: (ask) => ask.clmm.collectFees(),
    abort: paused,
  },
  {
    what: 'rewards of a paused wallet',
    after: 'paused',
    request: (ask) => ask.clmm.collectReward(),
    abort: paused,
  },
  {
    what: 'the end of a position of a paused wallet',
    after: 'paused',
    request: (ask) => ask.clmm.close(),
    abort: paused,
  },
  {
    what: 'an order of a paused wallet',
    after: 'paused',
    request: (ask) => ask.perp.order(),
    abort: paused,
  },
  {
    what: 'a deposit into the vault by an agent whose time is over',
    after: 'expired',
    request: (ask) => ask.vaultDeposit(),
    abort: { place: 'delegate::debit', code: 12, name: 'EExpired' },
  },
  {
    what: 'a stake by an agent who is no longer a delegate',
    after: 'removed',
    request: (ask) => ask.liquidStake.stake(),
    abort: { place: 'delegate::debit', code: 9, name: 'ENotDelegate' },
  },
];
