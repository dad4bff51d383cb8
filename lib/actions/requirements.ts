import type { OpValue } from '@adaptor-marketplace/adaptor/manifest';
import type { SlotRole } from './slots.ts';

/**
 * Requirements of an action on an op of the slot's adaptor. The tool service drafts with them, and the agent checks the
 * draft against them. Amounts are in base units.
 */
export interface Requirements {
  role: SlotRole;
  /** Service type of the adaptor to use in place of the slot's. */
  adaptor?: string | undefined;
  /** The coin that the op must take, and the one that it must bring. */
  coinIn?: string | undefined;
  coinOut?: string | undefined;
  /** Coins that the kind of protocol implies, so that a manifest need not name them. */
  impliedIn?: string;
  impliedOut?: string;
  /** The pool or market that the op must work on. */
  objectId?: string;
  amount?: bigint;
  minOut?: bigint;
  /** `true` if the request itself states `minOut`. An op that cannot guarantee the minimum is then excluded. */
  minStated?: boolean;
  /** Values for the arguments that a manifest leaves open, by their meaning. */
  values?: Partial<Record<OpValue, unknown>>;
  /** Values that the op must accept. Without them it would do something other than the request states. */
  stated?: readonly OpValue[];
  /**
   * Maximum amounts that the op takes, or minimum amounts that it brings, of the first and second coin of the object.
   */
  pair?: { takes: [bigint, bigint] } | { brings: [bigint, bigint] };
}
