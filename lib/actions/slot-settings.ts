import { moveIdentifier } from '@adaptor-marketplace/adaptor/call-spec';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type OpValue, opValues } from '@adaptor-marketplace/adaptor/op-values';
import { z } from 'zod';
import { serviceType } from './fields.ts';
import { type Slot, type SlotRole, slotRoles, slots } from './slots.ts';

/** The listed adaptor that fills a slot. */
export interface SlotSetting {
  /** In canonical form. */
  serviceType: string;
  /** `module::function` of what its manifest calls otherwise than the role. */
  ops?: Partial<Record<SlotRole, string>>;
  /** What its manifest calls otherwise of the values that actions give, by the manifest's name. */
  values?: Record<string, OpValue>;
}

export type SlotSettings = Partial<Record<Slot, SlotSetting>>;

const entry = z.string().refine((text) => {
  const [module, name, ...more] = text.split('::');
  return more.length === 0 && [module, name].every((part) => moveIdentifier.safeParse(part).success);
}, 'expected module::function');

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
export const slotsSetting = z.string().superRefine((text, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  const json = parseJson(text);
  if ('problem' in json) return refuse(`expected JSON: ${json.problem}`);
  for (const { path, message } of shape.safeParse(json.value).error?.issues ?? []) {
    refuse([...path, message].join(': '));
  }
});

/** The slots of a setting that was found right. */
export function readSlots(text: string): SlotSettings {
  return shape.parse(JSON.parse(text)) as SlotSettings;
}

function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
