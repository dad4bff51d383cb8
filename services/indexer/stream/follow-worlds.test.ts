import { setImmediate as turn } from 'node:timers/promises';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Follower, listDigests } from './testing/follower.ts';
import { type Backend, type ModelChain, ModelNode } from './testing/model-node.ts';

/** Misbehaviour of two providers, each a pool of two nodes, and the growth of their chain. */
interface World {
  chain: ModelChain;
  pageMax: number;
  scanMax: number;
  tickEvery: number;
  stretchLength: number;
  /** Growth of one node of each pool, and the distance of its index to its tip. */
  steps: { backend: number; by: number; lag: number }[];
  /** Node of the pool that answers each call. */
  picks: number[];
  /** Frames after which streams break, and after which subscriptions fall silent. */
  drops: number[];
  stalls: number[];
  /** Calls that are served, and calls that are refused after them. */
  limits: { served: number; refused: number }[];
  /** Turns after which all calls break, and calls that are refused then. */
  restarts: { turns: number; refused: number }[];
  /** Checkpoints by which the second node of each pool is late at most. */
  late: number;
  /** Provider of each run of the follower. */
  moves: number[];
}

type Arbitraries = { [Name in keyof World]: fc.Arbitrary<World[Name]> };

const calls = (max: number) => fc.integer({ min: 1, max });

/** A chain that grows, and two providers that behave. */
const behaving: Arbitraries = {
  chain: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 30 }),
  pageMax: fc.integer({ min: 1, max: 5 }),
  scanMax: fc.integer({ min: 1, max: 12 }),
  tickEvery: fc.integer({ min: 1, max: 4 }),
  stretchLength: fc.integer({ min: 1, max: 6 }),
  steps: fc.array(fc.record({ backend: fc.constant(0), by: fc.nat({ max: 6 }), lag: fc.constant(0) }), {
    maxLength: 25,
  }),
  picks: fc.constant([0]),
  drops: fc.constant([]),
  stalls: fc.constant([]),
  limits: fc.constant([]),
  restarts: fc.constant([]),
  late: fc.constant(0),
  moves: fc.constant([0]),
};

const misbehaviour: { [Mode: string]: Partial<Arbitraries> } = {
  'cuts its streams': { drops: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 12 }) },
  'falls silent': { stalls: fc.array(fc.nat({ max: 10 }), { minLength: 1, maxLength: 3 }) },
  'limits requests': {
    limits: fc.array(fc.record({ served: calls(12), refused: calls(8) }), { minLength: 1, maxLength: 6 }),
  },
  restarts: {
    restarts: fc.array(fc.record({ turns: calls(8), refused: fc.nat({ max: 6 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
  },
  'is several nodes that disagree': {
    picks: fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 20 }),
    steps: fc.array(
      fc.record({ backend: fc.nat({ max: 1 }), by: fc.nat({ max: 6 }), lag: fc.nat({ max: 4 }) }),
      { maxLength: 25 },
    ),
  },
  'is late': { late: calls(8), picks: fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 20 }) },
  'is left for another one, again and again': {
    moves: fc.array(fc.nat({ max: 1 }), { minLength: 2, maxLength: 12 }),
    drops: fc.array(fc.nat({ max: 20 }), { minLength: 2, maxLength: 12 }),
  },
};

/** One provider: a pool of two nodes of the chain. */
function openProvider(url: string, { chain, picks, drops, stalls, limits, ...world }: World) {
  const backends: [Backend, Backend] = [
    { tip: 0, indexTip: 0 },
    { tip: 0, indexTip: 0 },
  ];
  const [breaks, silences, windows] = [[...drops], [...stalls], limits.map((window) => ({ ...window }))];
  let picked = 0;
  let downCalls = 0;
  const refuse = () => {
    if (downCalls-- > 0) return new RpcError('the node restarts', 'UNAVAILABLE');
    const [window] = windows;
    if (!window || window.served-- > 0) return undefined;
    if (--window.refused <= 0) windows.shift();
    return new RpcError('too many requests', 'RESOURCE_EXHAUSTED');
  };
  const model = new ModelNode({
    ...world,
    url,
    chain,
    backends,
    refuse,
    pick: () => backends[picks[picked++ % picks.length]!]!,
    nextDrop: () => breaks.shift() ?? Number.POSITIVE_INFINITY,
    nextStall: () => silences.shift() ?? Number.POSITIVE_INFINITY,
  });
  return {
    model,
    grow({ backend, by, lag }: World['steps'][number]) {
      const { tip } = backends[backend]!;
      model.grow(backends[backend]!, tip + by, tip + by - lag);
    },
    growAll() {
      const tip = chain.length - 1;
      model.grow(backends[0], tip);
      model.grow(backends[1], tip - world.late);
    },
    restart(calls: number) {
      downCalls = calls;
      model.breakCalls();
    },
  };
}

/** Follows the chain of a world to its end, and checks after each chunk that nothing is claimed too early. */
async function followWorld(world: World): Promise<void> {
  const chain = [...world.chain];
  const providers = ['a', 'b'].map((url) => openProvider(url, { ...world, chain }));
  let run = 0;
  const { stretchLength, moves, stalls } = world;
  const idleMs = stalls.length > 0 ? 5 : 60_000;
  const choose = () => providers[moves[run++ % moves.length]!]!.model;
  const follower = new Follower(choose, { stretchLength, idleMs });
  const growth = [...world.steps];
  const restarts = world.restarts.map((each) => ({ ...each }));
  const grow = () => {
    const step = growth.shift();
    if (step) {
      for (const provider of providers) provider.grow(step);
      return;
    }
    chain.push([false]);
    for (const provider of providers) provider.growAll();
  };
  const onTurn = () => {
    const complete = listDigests(chain, follower.resume.checkpoint + 1);
    // An assertion costs more than the rest of the turn.
    if (complete.some((digest, at) => follower.digests[at] !== digest)) {
      expect(follower.digests.slice(0, complete.length)).toEqual(complete);
    }
    const [restart] = restarts;
    if (restart && --restart.turns <= 0) {
      restarts.shift();
      for (const provider of providers) provider.restart(restart.refused);
    }
    grow();
  };
  // The chain goes on while nothing is read.
  const growing = setInterval(grow, 1);
  try {
    await passTimeUntil(follower.run(() => follower.resume.checkpoint >= world.chain.length - 1, onTurn));
  } finally {
    clearInterval(growing);
  }
  const expected = listDigests(chain);
  expect(follower.digests).toEqual(expected);
  for (const { model } of providers) expect(model.calls.list).toBeLessThan(2_000);
}

/** Turns of the event loop in a millisecond of a world. A call of a model node takes one or two. */
const turnsOfMs = 4;

/** Lets the time of a world pass with the turns of the event loop, so that a seed leads to the same world on every machine. */
async function passTimeUntil(end: Promise<void>): Promise<void> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  for (let turns = 1; !isOver; turns++) {
    await turn();
    if (turns % turnsOfMs === 0) vi.advanceTimersByTime(1);
  }
  await over;
}

const worldsOfEach = 1_000;

const check = (modes: readonly Partial<Arbitraries>[]) => {
  const worlds = fc.record(Object.assign({}, behaving, ...modes) as Arbitraries);
  return fc.assert(fc.asyncProperty(worlds, followWorld), { numRuns: worldsOfEach });
};

describe('nothing is lost, doubled or claimed too early by a provider that', () => {
  beforeAll(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  );
  afterAll(() => void vi.useRealTimers());

  test.each(Object.entries(misbehaviour))('%s', (_, mode) => check([mode]));

  test('does any of this at random', () => check(Object.values(misbehaviour)));
});
