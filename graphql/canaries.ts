import { type Canary, type CanaryDay, type CanaryOp, readCanaries } from '../db/queries/canaries/reads.ts';
import type { CanaryOutcome } from '../lib/canaries/judge.ts';
import { builder, nullable, nullableTime } from './builder.ts';
import { batched } from './connections.ts';
import { adaptorNode } from './nodes.ts';
import { listSize } from './query-limits.ts';
import { countDays, daysArg, readDays } from './usage.ts';

/** Cost of reading up to 32 operations with their days, beside what the query selects. */
const canaryCost = 200;
const operationsMax = 32;
/** Days for which simulations are kept. */
const daysMax = 90;

/** Cost of simulations. Only their days grow with the argument: they count as a short list, as often as such a list has room for them. */
const estimateCanaryCost = (args: Parameters<typeof countDays>[0]) => ({
  field: canaryCost,
  multiplier: Math.ceil(Math.min(countDays(args), daysMax) / listSize),
});

export const canaryStateEnum = builder.enumType('CanaryState', {
  description:
    'State of an operation in simulations. An amount fails if two of its last three simulations failed.',
  values: {
    UP: { value: 'up', description: 'No amount fails.' },
    DEGRADED: { value: 'degraded', description: 'Some amounts fail.' },
    DOWN: { value: 'down', description: 'All amounts fail.' },
    UNPROVEN: {
      value: 'unproven',
      description:
        'No simulation ever worked. It may need what a new wallet lacks, so this says nothing against it.',
    },
  } as const,
});

const outcomeType = builder.objectRef<CanaryOutcome>('CanaryOutcome').implement({
  description: 'Result of one simulated call. Amounts are in base units.',
  fields: (t) => ({
    amount: t.exposeString(
      'amount',
      nullable('Amount that the call was given. Null if the operation takes none.'),
    ),
    failure: t.exposeString(
      'failure',
      nullable('Name of the abort, such as `EPaused`, or kind of the failure. Null if the call worked.'),
    ),
    gas: t.exposeString('gas', { description: 'MIST that an execution would cost.' }),
    coinIn: t.exposeString(
      'coinIn',
      nullable('Coin that the call took, or would have taken. Null if it took none.'),
    ),
    coinOut: t.exposeString('coinOut', nullable('Coin that it brought. Null if it brought none.')),
    taken: t.exposeString('taken', { description: 'Left the wallet.' }),
    brought: t.exposeString('brought', { description: 'Came into the wallet.' }),
  }),
});

const dayType = builder.objectRef<CanaryDay>('CanaryDay').implement({
  description: 'Simulated calls of an operation on one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The day, in UTC.' }),
    worked: t.exposeInt('worked', { description: 'Calls that worked.' }),
    failed: t.exposeInt('failed', { description: 'Calls that failed.' }),
  }),
});

const opType = builder.objectRef<CanaryOp>('CanaryOperation').implement({
  description: 'An operation, as its simulations show it.',
  fields: (t) => ({
    name: t.exposeString('op', {
      description: '`module::function`, with `#2` behind it for the second operation of that function.',
    }),
    position: t.exposeInt('position', { description: 'Position in `operations`.' }),
    state: t.expose('state', { type: canaryStateEnum, description: 'Its state.' }),
    sinceMs: t.expose('sinceMs', { type: 'Milliseconds', description: 'Time since which it has the state.' }),
    triedAtMs: t.expose('triedAtMs', nullableTime('Time of its last simulation. Null if there is none.')),
    untried: t.exposeString(
      'untried',
      nullable('The reason why it was not simulated the last time. Null if it was.'),
    ),
    outcomes: t.field({
      type: [outcomeType],
      description: 'Results of its last simulation, one for each amount, the smallest first.',
      resolve: ({ runs }) => runs.at(-1)?.outcomes ?? [],
    }),
    days: t.field({
      type: [dayType],
      description: 'The days with simulations, the oldest first. They stay for 90 days.',
      resolve: ({ days }) => days,
    }),
  }),
});

const canaryType = builder.objectRef<Canary>('Canary').implement({
  description: 'Simulations of an adaptor. They show life, not safety: an adaptor can recognise them.',
  fields: (t) => ({
    ranAtMs: t.expose('ranAtMs', nullableTime('Time of the last ones. Null before the first.')),
    operations: t.field({
      type: [opType],
      description: `The operations that can be executed, in their order: at most ${operationsMax}.`,
      complexity: { field: 1, multiplier: operationsMax },
      resolve: ({ ops }) => ops,
    }),
  }),
});

const loadCanaries = batched(readCanaries);

builder.objectField(adaptorNode, 'canary', (t) =>
  t.field({
    type: canaryType,
    nullable: true,
    description: 'Which of its operations work in simulations. Null if it is not simulated.',
    complexity: estimateCanaryCost,
    extensions: { statement: 'canaries' },
    args: daysArg,
    resolve: ({ network, serviceType, publisher }, args, context) =>
      loadCanaries(context, { network, serviceType, publisher, days: readDays(args) }),
  }),
);
