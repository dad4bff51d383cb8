import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { address } from '../fields.ts';
import { layout } from '../structs.ts';
import { type EventsOf, eventCodec } from './codec.ts';

const layouts = {
  'attestations::Attested': layout({ subject: address }),
  'attestations::Revoked': layout({ subject: address }),
};

/** The events by which the package of statements announces them, by `module::Name`. */
export type StatementEvents = EventsOf<typeof layouts>;

export const statementEvents = eventCodec(layouts);

/** Returns the type of the data that a statement has, from its event's type; undefined if it is generic itself. */
export function parseStatedType(eventType: string): string | undefined {
  const [, argument] = /^[^<]*<([^<>,]*)>$/.exec(eventType) ?? [];
  const parsed = argument === undefined ? undefined : parseServiceType(argument);
  return parsed && 'canonical' in parsed ? parsed.canonical : undefined;
}
