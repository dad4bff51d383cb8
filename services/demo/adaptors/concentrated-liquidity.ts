import type { Venue } from '../protocols/venue.ts';
import {
  adaptor,
  asked,
  type Call,
  clock,
  type DemoAdaptor,
  type Op,
  read,
  shared,
  wallet,
} from './adaptor.ts';

const name = asked('name', '0x1::string::String');
const amounts = [asked('amountA', 'u64'), asked('amountB', 'u64'), asked('minLiquidity', 'u128')];

export const concentratedLiquidity = ({ objectId, coins }: Venue<'a' | 'b' | 'reward'>): DemoAdaptor => {
  const pool = shared(objectId);
  const op = (entry: string, label: string, args: Call['args']): Op => ({
    ...{ kind: 'custom', entry, label },
    call: { typeArgs: [coins.a, coins.b, coins.reward], args: [wallet, ...args, clock] },
  });
  const range = [asked('lower', 'u32'), asked('upper', 'u32')];
  const least = [asked('minA', 'u64'), asked('minB', 'u64')];
  return adaptor('concentrated_liquidity', 'ConcentratedLiquidity', {
    name: 'Lagoon Ranges',
    category: 'Other',
    summary: 'Keeps liquidity of SUI and Harbour Dollars in ranges of their price.',
    supportedCoins: [coins.a, coins.b],
    integrator: 'lagoon',
    ops: [
      { ...op('open', 'Open a position', [pool, name, ...range, ...amounts]), intentMode: 'A' },
      { ...op('add', 'Add liquidity', [pool, name, ...amounts]), intentMode: 'A' },
      op('remove', 'Remove liquidity', [pool, name, asked('liquidity', 'u128'), ...least]),
      op('collect_fees', 'Collect fees', [pool, name]),
      op('collect_reward', 'Collect the reward', [pool, name]),
      op('close', 'Close a position', [read(objectId), name]),
    ],
  });
};
