import type { OpInputs } from '@adaptor-marketplace/adaptor/transactions';
import type { Executed } from '@adaptor-marketplace/localnet/account';
import { milliSui } from '../../../services/demo/publish.ts';
import type { AdaptorNetwork } from '../adaptor-network.ts';

/** SUI in MIST. */
export const sui = (amount: number) => milliSui(amount * 1_000);

export type Coin = 'sui' | keyof AdaptorNetwork['coins']['types'];
/** Changes of a wallet's balances: exact amounts, or bounds. */
type Changes = Partial<Record<Coin, bigint | readonly [least: bigint, most: bigint]>>;

/** A call by the delegate, and its changes. */
export interface Use {
  entry: string;
  inputs: Omit<OpInputs, 'coinIn' | 'coinOut'> & { coinIn?: Coin; coinOut?: Coin };
  changes: Changes;
  /** Runs after the execution. */
  afterwards?: (network: AdaptorNetwork, executed: Executed) => Promise<void>;
}

/** A call that the chain refuses for every sender, with the abort code of a module. */
interface Refusal extends Pick<Use, 'entry' | 'inputs'> {
  by?: 'owner';
  abort: [module: string, code: number];
}

export interface Case {
  uses: Use[];
  refusals: Refusal[];
}

export const overTheDelegatesBudget = (entry: string, inputs: Use['inputs']): Refusal => ({
  entry,
  inputs,
  abort: ['delegate', 8],
});
export const overTheServicesGrant = (entry: string, inputs: Use['inputs']): Refusal => ({
  entry,
  inputs,
  by: 'owner',
  abort: ['wallet', 16],
});
