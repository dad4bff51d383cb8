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
  /** Type of the coin that the op must take. */
  coinIn?: string | undefined;
  /** Type of the coin that the op must bring. */
  coinOut?: string | undefined;
  /** Types of the coins that the kind of protocol implies, so that a manifest need not name them. */
  impliedIn?: string;
  impliedOut?: string;
  /** The pool or market that the op must work on. */
  objectId?: string;
  amount?: bigint;
  minOut?: bigint;
  /** `true` if the request states `minOut`. Then an op that cannot guarantee the minimum is excluded. */
  minStated?: boolean;
  /** Values for the arguments that a manifest leaves open, by their meaning. */
  values?: Partial<Record<OpValue, unknown>>;
  /** Values that the op must take as arguments. An op without them would do something else than the request states. */
  stated?: readonly OpValue[];
  /**
   * Maximum amounts that the op takes, or minimum amounts that it brings, of the first and second coin of the object.
   */
  pair?: { takes: [bigint, bigint] } | { brings: [bigint, bigint] };
}
