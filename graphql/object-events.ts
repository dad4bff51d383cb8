import { type ChainEvent, objectEventLists } from '../db/queries/events.ts';
import { checkpointRange, type PagingArgs, pagingArgs, readPaging, readRange } from './arguments.ts';
import { builder, type GraphContext } from './builder.ts';
import { createConnectionLoader } from './connections.ts';
import { eventNodes, type OnNetwork, withNetwork } from './nodes.ts';

export const eventFilter = builder.inputType('EventFilter', {
  description: 'Conditions on events. An event must meet all of them.',
  fields: (t) => ({ checkpoint: t.field({ type: checkpointRange, description: 'When, in checkpoints.' }) }),
});

const args = {
  ...builder.args((t) => ({ filter: t.field({ type: eventFilter, description: 'Conditions.' }) })),
  ...pagingArgs,
};
type Args = PagingArgs & { filter?: typeof eventFilter.$inferInput | null | undefined };

const defineConnection = (source: 'wallet' | 'rules' | 'agents' | 'escrow', name: string) =>
  builder.connectionObject({ type: eventNodes[source], name, description: 'A page of a list.' });

const ruleEvents = defineConnection('rules', 'RuleEventConnection');
const walletEvents = defineConnection('wallet', 'WalletEventConnection');
const connections = {
  wallet: walletEvents,
  cap: walletEvents,
  rule: ruleEvents,
  allowlist: ruleEvents,
  agent: defineConnection('agents', 'AgentEventConnection'),
  job: defineConnection('escrow', 'EscrowEventConnection'),
};

/** Builds the field `events` of an object: the reverse of the field that leads from these events to the object. */
export function buildEventsField<Item extends object>(
  kind: keyof typeof objectEventLists,
  description: string,
  getObjectId: (item: Item) => string,
) {
  const read = createConnectionLoader(objectEventLists[kind], withNetwork<ChainEvent>);
  return {
    type: connections[kind],
    description: `${description}, newest first.`,
    extensions: { statement: `${kind} events` },
    args,
    resolve(item: OnNetwork<Item>, { filter, ...paging }: Args, context: GraphContext) {
      const checkpoints = readRange(filter?.checkpoint, 'filter.checkpoint');
      return read(context, {
        network: item.network,
        object: getObjectId(item),
        checkpoints,
        ...readPaging(paging),
      });
    },
  };
}
