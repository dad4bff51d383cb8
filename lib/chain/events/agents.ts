import { address, count, optional, text, texts } from '../fields.ts';
import { layout } from '../structs.ts';
import { type EventsOf, eventCodec } from './codec.ts';

const profile = layout({
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
  'registry::AgentUnlisted': layout({ agent: address, version: count, timestampMs: count }),
};

/** The events of the agent registry, by `module::Name`. */
export type AgentsEvents = EventsOf<typeof layouts>;

export const agentsEvents = eventCodec(layouts);
