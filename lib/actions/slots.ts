import { type OpValue, opValues } from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import { jsonSetting } from '../json-setting.ts';
import { isFunctionPath, serviceType } from './steps.ts';

/** Kinds of protocols. The settings of a network can assign a listed adaptor to each. */
export const slots = [
  'swap',
  'lendingA',
  'lendingB',
  'lendingC',
  'stablecoin',
  'liquidStake',
  'vault',
  'clmm',
  'perp',
  'current',
] as const;
export type Slot = (typeof slots)[number];

const lending = ['openAccount', 'deposit', 'withdraw'] as const;

/** Roles of each slot: the manifest has an op for each. `openAccount` is for adaptors that require an account. */
export const slotRoles = {
  swap: ['swap'],
  lendingA: lending,
  lendingB: lending,
  lendingC: lending,
  stablecoin: ['openAccount', 'borrow', 'repay', 'repayAndWithdraw', 'save', 'withdrawSavings'],
  liquidStake: ['openAccount', 'stake', 'unstake'],
  vault: ['openAccount', 'deposit'],
  clmm: ['open', 'add', 'remove', 'collectFees', 'collectReward', 'close'],
  perp: ['openAccount', 'order', 'depositMargin'],
  current: ['openAccount', 'supply'],
} as const satisfies Record<Slot, readonly string[]>;
export type SlotRole = (typeof slotRoles)[Slot][number];

/** The listed adaptor that fills a slot. */
export interface SlotSetting {
  /** In canonical form. */
  serviceType: string;
  /** `module::function` of each role whose op has another name in the manifest than the default ones. */
  ops?: Partial<Record<SlotRole, string>>;
  /** Meaning of values whose names in the manifest are not the default ones, by the manifest's name. */
  values?: Record<string, OpValue>;
}

export type SlotSettings = Partial<Record<Slot, SlotSetting>>;

const entry = z.string().refine(isFunctionPath, 'expected module::function');

const shape = z.strictObject(
  Object.fromEntries(
    slots.map((slot) => [
      slot,
      z
        .strictObject({
          serviceType,
          ops: z.partialRecord(z.enum(slotRoles[slot]), entry).optional(),
          values: z.record(z.string().min(1).max(64), z.enum(opValues)).optional(),
        })
        .optional(),
    ]),
  ),
);

/** The setting: a JSON object such as `{ "swap": { "serviceType": "0x…::pool_swap::PoolSwap" } }`. */
export const slotsSetting = jsonSetting(shape);

/** Parses a setting that `slotsSetting` accepts. */
export function readSlots(text: string): SlotSettings {
  return shape.parse(JSON.parse(text)) as SlotSettings;
}
