import type { ActionBounds, CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Slot } from '../../../lib/actions/slots.ts';
import type { Grant, UsedAdaptor } from '../../../lib/actions/tools-api.ts';
import type { ProblemError } from '../../../lib/errors/index.ts';
import type { Call } from './calls.ts';

/** A step of a draft: its call, and what that does. */
export interface Part {
  action: string;
  slot: Slot | null;
  adaptor: UsedAdaptor | null;
  spends: CoinAmount[];
  receives: CoinAmount[];
  recipient: string | null;
  capId: string | null;
  /** What it is about beside coins, in words. */
  about: string | null;
  call: Call;
  /** What the action is held to; undefined for a spend, which calls no service. */
  bounds: ActionBounds | undefined;
  /** Opens the wallet's account at the protocol, where there may be none yet. */
  opening: { key: string; call: Call } | undefined;
  /** What the owner must have granted. */
  grants: Grant[];
  /** Why the read model says that it will not go through; the chain has the last word. */
  doubt: ProblemError | undefined;
}
