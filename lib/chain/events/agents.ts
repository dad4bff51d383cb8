import { address, count, optional, text, texts } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

const profile = defineLayout({
  agent: address,
  name: text,
  description: text,
  skills: texts,
  cardUrl: optional(text),
  version: count,
  timestampMs: count,
});

const layouts = {
  'registry::AgentRegistered': profile,
  'registry::AgentUpdated': profile,
  'registry::AgentUnlisted': defineLayout({ agent: address, version: count, timestampMs: count }),
};

/** Events of the agent registry, by `module::Name`. */
export type AgentsEvents = EventsOf<typeof layouts>;

export const agentsEvents = createEventCodec(layouts);
