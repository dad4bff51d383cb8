import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { address } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

const layouts = {
  'attestations::Attested': defineLayout({ subject: address }),
  'attestations::Revoked': defineLayout({ subject: address }),
};

/** The events by which the package of statements announces them, by `module::Name`. */
export type StatementEvents = EventsOf<typeof layouts>;

export const statementEvents = createEventCodec(layouts);

/** Returns the type of the data that a statement has, from its event's type; undefined if it is generic itself. */
export function parseStatedType(eventType: string): string | undefined {
  const [, argument] = /^[^<]*<([^<>,]*)>$/.exec(eventType) ?? [];
  const parsed = argument === undefined ? undefined : parseServiceType(argument);
  return parsed && 'canonical' in parsed ? parsed.canonical : undefined;
}
