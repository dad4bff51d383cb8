import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { address } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

const layouts = {
  'attestations::Attested': defineLayout({ subject: address }),
  'attestations::Revoked': defineLayout({ subject: address }),
};

/** Events of the package of statements, by `module::Name`. */
export type StatementEvents = EventsOf<typeof layouts>;

export const statementEvents = createEventCodec(layouts);

/**
 * Reads the type of a statement's data from the type of its event. Returns undefined for a type with type arguments.
 */
export function parseStatedType(eventType: string): string | undefined {
  const [, argument] = /^[^<]*<([^<>,]*)>$/.exec(eventType) ?? [];
  const parsed = argument === undefined ? undefined : parseServiceType(argument);
  return parsed && 'canonical' in parsed ? parsed.canonical : undefined;
}
