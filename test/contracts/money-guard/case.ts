import fc from 'fast-check';
import { program } from './programs.ts';
import { type RelayCall, severalCalls } from './relay.ts';
import { max, type Step, step } from './steps.ts';
import { type Coin, coins, type Service } from './world.ts';

/** The state of the wallet that the actions use, and the sender of the transactions. */
export interface SetUp {
  sender: 'owner' | 'agent';
  paused: boolean;
  offeredTo: 'nobody' | 'sender' | 'attacker';
  balances: Record<Coin, bigint>;
  grants: Record<Service, Record<Coin, Grant>>;
  /** The agent's budgets. */
  budgets: { services: Record<Service, bigint>; coins: Record<Coin, bigint> };
  expiry: 'none' | 'later' | 'over';
  policy: PolicySetUp | undefined;
  job: { state: 'open' | 'funded' | 'submitted'; assessor: 'service' | 'bank' | 'cap' };
}

/** Zero means no grant. */
interface Grant {
  allowance: bigint;
  pull: bigint;
}

interface PolicySetUp {
  /** The wallet accepts the service's own approval of a spend. */
  trustsService: boolean;
  /** A cap that the attacker holds can open a spend if the ally approves it. */
  trustsBearer: boolean;
  /** Spends with bearer caps need a recipient on the allowlist. */
  listed: boolean;
  spendInto: boolean;
}

/** Amounts that an action states. A missing coin means zero. */
export type Amounts = Partial<Record<Coin, bigint>>;

export type RoundStep =
  | {
      kind: 'action';
      service: 'S' | 'T';
      takes: Amounts;
      brings: Amounts;
      /** The program of the action's one op. */
      hostile: Step[];
      /** Calls around that op, if the op consists of several calls. */
      calls: RelayCall[];
    }
  | { kind: 'spend'; coin: Coin; amount: bigint; cap: 'scoped' | 'bearer' };

/** One transaction of the wallet's actor, and the attacker's choices for it. */
export interface Round {
  steps: RoundStep[];
  /** Objects that the ops receive. `plain` is all that the agent allows; the others are more. */
  handed: 'plain' | 'threaded' | 'everything' | 'list' | 'job' | 'waiting';
  /** The owner of the recipient list and the job that the ops receive. */
  whose: 'own' | 'victim';
  /**
   * The event that turns the programs hostile after the simulation. With `at once`, they are hostile from the start.
   */
  turn: 'written' | 'time' | 'digest' | 'at once';
  /** The gas budget: the amount that the simulation reports, or the most that a run may use. */
  gas: 'simulated' | 'most';
}

export interface Case {
  setUp: SetUp;
  rounds: Round[];
}

const small = fc.constantFrom(10n, 50n, 100n);
const allowance = fc.constantFrom(0n, 50n, 100n, 1000n, max);
const pull = fc.constantFrom(0n, 100n, 100n, max);
const grant = fc.record({ allowance, pull });
/** The service nearly always holds a grant, because without one no action begins. */
const own = fc.record({ allowance: fc.constantFrom(50n, 1000n, max), pull });
const perCoin = <T>(each: fc.Arbitrary<T>) => fc.record({ A: each, B: each });

const setUp: fc.Arbitrary<SetUp> = fc.record({
  sender: fc.constantFrom('owner' as const, 'agent' as const),
  paused: fc.constantFrom(...Array<boolean>(29).fill(false), true),
  offeredTo: fc.constantFrom('nobody' as const, 'sender' as const, 'attacker' as const),
  balances: perCoin(fc.constantFrom(1000n, 1000n, 1000n, 1000n, 100n, 0n)),
  grants: fc.record({ S: perCoin(own), T: perCoin(grant), Bank: perCoin(grant) }),
  budgets: fc.record({
    services: fc.record({
      S: fc.constantFrom(50n, 1000n, max),
      T: allowance,
      Bank: allowance,
    }),
    coins: perCoin(fc.constantFrom(50n, 1000n, max, max)),
  }),
  expiry: fc.constantFrom<SetUp['expiry']>(
    ...(['none', 'none', 'none', 'none', 'none', 'none', 'later', 'later', 'over'] as const),
  ),
  policy: fc.option(
    fc.record({
      trustsService: fc.boolean(),
      trustsBearer: fc.boolean(),
      listed: fc.boolean(),
      spendInto: fc.boolean(),
    }),
    { nil: undefined, freq: 5 },
  ),
  job: fc.record({
    state: fc.constantFrom('open' as const, 'funded' as const, 'submitted' as const),
    assessor: fc.constantFrom('service' as const, 'bank' as const, 'cap' as const),
  }),
});

const amounts: fc.Arbitrary<Amounts> = fc.constantFrom<Amounts>(
  {},
  { A: 100n },
  { A: 50n },
  { B: 100n },
  { A: 100n, B: 50n },
);
/** Amounts that suffice for some of the calls of an op of several calls. */
const enough = fc.constant<Amounts>({ A: 100n, B: 100n });
const noCalls = fc.constant<RelayCall[]>([]);
const fewer: fc.Arbitrary<Amounts> = fc.constantFrom<Amounts>(
  {},
  {},
  { A: 10n },
  { B: 10n },
  { A: 10n, B: 50n },
);

const roundStep = (steps: fc.Arbitrary<Step[]>, calls?: fc.Arbitrary<RelayCall[]>): fc.Arbitrary<RoundStep> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .record({
          service: fc.constantFrom('S' as const, 'S' as const, 'S' as const, 'T' as const),
          takes: calls ? fc.oneof(amounts, enough, enough, enough) : amounts,
          brings: fewer,
          steps,
          calls: calls ?? noCalls,
          fulfils: fc.constantFrom<'all' | 'more' | 'least' | 'nothing'>(
            ...(['all', 'all', 'all', 'more', 'least', 'least', 'nothing'] as const),
          ),
        })
        .map(({ service, takes, brings, steps, calls, fulfils }) => {
          // Most ops also bring what they must, because otherwise the transaction is undone.
          const more = fulfils === 'nothing' ? [] : fulfilment({ service, takes, brings }, fulfils);
          return { kind: 'action' as const, service, takes, brings, hostile: [...steps, ...more], calls };
        }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('spend' as const),
        coin: fc.constant('A' as const),
        amount: small,
        cap: fc.constantFrom('scoped' as const, 'bearer' as const),
      }),
    },
  );

const handedWays: Round['handed'][] = [
  ...(['plain', 'plain', 'plain', 'threaded', 'threaded', 'threaded'] as const),
  ...(['everything', 'everything', 'everything', 'everything', 'everything'] as const),
  ...(['list', 'job', 'waiting'] as const),
];
const turns: Round['turn'][] = [
  'at once',
  'at once',
  'at once',
  'at once',
  'at once',
  'written',
  'time',
  'digest',
];

/** Most ops of several calls have no program of their own. */
const relayed = fc.constant<Step[]>([]);

const round = (owner: boolean, several: boolean): fc.Arbitrary<Round> =>
  fc.constantFrom(...handedWays).chain((handed) => {
    const reach = { handed: handed === 'everything', owner };
    const withCalls = roundStep(
      fc.oneof(relayed, relayed, relayed, program({ ...reach, several: false })),
      severalCalls,
    );
    const only = several ? withCalls : roundStep(program({ ...reach, several: false }));
    const one = several
      ? only
      : fc.oneof({ weight: 5, arbitrary: only }, { weight: 1, arbitrary: withCalls });
    const each = several ? withCalls : roundStep(program({ ...reach, several: handed !== 'plain' }));
    return fc.record({
      // Most transactions have one action.
      steps: fc.oneof(
        { weight: 3, arbitrary: fc.array(one, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(each, { minLength: 2, maxLength: 3 }) },
      ),
      handed: fc.constant(handed),
      whose: fc.constantFrom('own' as const, 'victim' as const),
      turn: fc.constantFrom(...turns),
      gas: fc.constantFrom('most' as const, 'most' as const, 'simulated' as const),
    });
  });

/** Set-ups that allow more, so that only the action bounds its calls. */
const generous: fc.Arbitrary<SetUp> = setUp.map((one) => {
  const service = { A: { allowance: max, pull: 0n }, B: { allowance: max, pull: 0n } };
  return {
    ...one,
    paused: false,
    expiry: 'none',
    balances: { A: 1000n, B: 1000n },
    grants: { ...one.grants, S: service, T: service },
    budgets: { services: { S: max, T: max, Bank: max }, coins: { A: max, B: max } },
  };
});

const buildCaseArbitrary = (several: boolean): fc.Arbitrary<Case> =>
  (several ? fc.oneof(setUp, generous, generous) : setUp).chain((setUp) =>
    fc.record({
      setUp: fc.constant(setUp),
      rounds: fc.array(round(setUp.sender === 'owner', several), {
        minLength: 5,
        maxLength: 10,
        size: 'max',
      }),
    }),
  );

export const anyCase = buildCaseArbitrary(false);
/** Cases in which every op consists of several calls. */
export const severalCallsCase = buildCaseArbitrary(true);

type Bounds = Pick<Extract<RoundStep, { kind: 'action' }>, 'service' | 'takes' | 'brings'>;

/**
 * Steps that bring what an action must bring. `how` is the amount that the op may have taken: all that it may take,
 * more, or nothing.
 */
function fulfilment({ service, takes, brings }: Bounds, how: 'all' | 'more' | 'least'): Step[] {
  const as = service === 'S' ? 0 : 1;
  return coins.flatMap((coin, place) => {
    const least = brings[coin];
    if (least === undefined) return [];
    const beside = { all: takes[coin] ?? 0n, more: 1000n, least: 0n }[how];
    return [step('CREDIT', { service: as, coin: place, amount: least + beside })];
  });
}

/**
 * The program of an op before it turns hostile. It fulfils the action and does more work besides, so that the simulated
 * gas suffices for the hostile program.
 */
export function harmlessProgram(bounds: Bounds): Step[] {
  return [
    ...fulfilment(bounds, 'all'),
    step('CREATE_AND_SHARE_WALLET'),
    step('READ_WALLET'),
    step('READ_DELEGATES'),
  ];
}
