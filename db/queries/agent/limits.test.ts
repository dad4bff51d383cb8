import fc from 'fast-check';
import type { Pool } from 'pg';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { type Claim, type NewRun, openRun } from './open-run.ts';
import { endRun, type OperatorVerdict, reserveMore, settleUnknown } from './settle-run.ts';

let db: Pool;
const database = useTestDatabase();
beforeAll(() => {
  db = database.pool;
});
beforeEach(() => db.query('truncate agent_runs, agent_run_steps, agent_reservations, agent_limits'));

const [worker, startedAt] = [7, new Date('2026-03-14T12:00:00Z')];
const noLines = { position: 0, lines: [], at: startedAt };
const coin = '0x2::sui::SUI';

/**
 * A generated run: its claims against the wallet's and the owner's gas limits and the limit of all unplanned callers,
 * and its end.
 */
interface Asked {
  wallet: number;
  coins: bigint;
  gas: bigint;
  more: bigint;
  planned: boolean;
  /** End of the run: never signed, executed or failed at a part of the reserved gas, or still open. */
  end: 'unsigned' | 'executed' | 'failed' | 'open';
  charged: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  wallet: fc.nat(5),
  coins: fc.bigInt(0n, 40n),
  gas: fc.bigInt(1n, 20n),
  more: fc.bigInt(0n, 30n),
  planned: fc.boolean(),
  end: fc.constantFrom('unsigned', 'executed', 'executed', 'failed', 'open'),
  charged: fc.nat(100),
});

const most = { coins: 100n, runs: 4n, gas: 100n, owner: 130n, unplanned: 150n };

function makeGasClaims({ wallet, planned }: Asked, amount: bigint): Claim[] {
  const claim = (subject: string, dailyMax: bigint) => ({ subject, measure: 'gas', amount, dailyMax });
  const claims = [claim(`wallet:${wallet}`, most.gas), claim(`owner:${wallet % 2}`, most.owner)];
  return planned ? claims : [claim('unplanned', most.unplanned), ...claims];
}

function buildRun(one: Asked): NewRun {
  const subject = `wallet:${one.wallet}`;
  return {
    ...newRun(worker, startedAt),
    walletId: String(one.wallet),
    owner: String(one.wallet % 2),
    claims: [
      { subject, measure: 'runs', amount: 1n, dailyMax: most.runs },
      ...makeGasClaims(one, one.gas),
      { subject, measure: coin, amount: one.coins, dailyMax: most.coins },
    ],
  };
}

interface Row {
  subject: string;
  measure: string;
  reserved: string;
  spent: string;
  daily_max: string;
}
const limits = async () => (await db.query<Row>('select * from agent_limits')).rows;

/** Runs one run from its opening to its end. Returns the charge by the chain if it was signed. */
async function live(one: Asked): Promise<{ gas: bigint; opened: boolean }> {
  const opening = await openRun(db, buildRun(one));
  if (opening.kind !== 'opened') return { gas: 0n, opened: false };
  const { run } = opening;
  const over = await reserveMore(db, { run, worker }, makeGasClaims(one, one.more), noLines);
  if (one.end === 'open' && !over) return { gas: 0n, opened: true };
  const signed = !over && one.end !== 'unsigned';
  const gas = ((one.gas + one.more) * BigInt(one.charged)) / 100n;
  const done = signed && one.end === 'executed';
  const ended = await endRun(
    db,
    { run, worker },
    {
      state: done ? 'done' : 'failed',
      code: null,
      gas: signed ? { charged: gas, coin: null } : null,
      spent: done ? [{ measure: coin, amount: one.coins }] : [],
      lines: noLines,
    },
  );
  expect(ended).toBe(true);
  return { gas: signed ? gas : 0n, opened: true };
}

test('no order and no concurrency of runs takes more than a limit, and each limit holds what was charged', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(asked, { minLength: 1, maxLength: 24 }), async (all) => {
        const watching = { on: true };
        const watch = async () => {
          while (watching.on) {
            for (const { reserved, spent, daily_max, ...of } of await limits()) {
              const taken = BigInt(reserved) + BigInt(spent);
              expect({ of, within: taken >= 0n && taken <= BigInt(daily_max) }).toEqual({ of, within: true });
            }
          }
        };
        const watched = watch();
        const lived = await Promise.all(all.map(live)).finally(() => {
          watching.on = false;
        });
        await watched;
        const charged = lived.reduce((sum, { gas }) => sum + gas, 0n);
        const unplanned = lived.reduce((sum, { gas }, nth) => sum + (all[nth]!.planned ? 0n : gas), 0n);
        const rows = await limits();
        const sumSpent = (wanted: (row: Row) => boolean) =>
          rows.filter(wanted).reduce((sum, { spent }) => sum + BigInt(spent), 0n);
        const ofGas = (kind: string) => (row: Row) => row.measure === 'gas' && row.subject.startsWith(kind);
        expect([sumSpent(ofGas('wallet:')), sumSpent(ofGas('owner:')), sumSpent(ofGas('unplanned'))]).toEqual(
          [...[charged, charged, unplanned]],
        );
        const { rows: open } = await db.query(`select from agent_runs where state = 'running'`);
        const ended = lived.filter(({ opened }) => opened).length - open.length;
        expect(sumSpent(({ measure }) => measure === 'runs')).toBe(BigInt(ended));
        if (open.length === 0) expect(rows.every(({ reserved }) => reserved === '0')).toBe(true);
      })
      .beforeEach(async () => void (await db.query('truncate agent_runs, agent_reservations, agent_limits'))),
    { numRuns: 40 },
  );
});

test('nothing is set aside for a run that another worker drives, or that has ended', async () => {
  const opened: Asked = {
    wallet: 0,
    coins: 0n,
    gas: 5n,
    more: 0n,
    planned: true,
    end: 'unsigned',
    charged: 0,
  };
  const opening = await openRun(db, buildRun(opened));
  const run = opening.kind === 'opened' ? opening.run : 0;
  const claims = makeGasClaims(opened, 7n);
  expect(await reserveMore(db, { run, worker: worker + 1 }, claims, noLines)).toBe('lost');
  await endRun(
    db,
    { run, worker },
    { state: 'failed', code: 'interrupted', spent: [], gas: null, lines: noLines },
  );
  expect(await reserveMore(db, { run, worker }, claims, noLines)).toBe('lost');
  expect((await limits()).every(({ reserved }) => reserved === '0')).toBe(true);
});

test('a run that was signed and has no verdict keeps what it set aside', async () => {
  const one: Asked = { wallet: 0, coins: 10n, gas: 5n, more: 7n, planned: false, end: 'open', charged: 0 };
  await live(one);
  await db.query(`update agent_runs set state = 'unknown'`);
  const held = (await limits()).map(({ subject, measure, reserved }) => [subject, measure, reserved]);
  expect(held.sort()).toEqual([
    ['owner:0', 'gas', '12'],
    ['unplanned', 'gas', '12'],
    ['wallet:0', coin, '10'],
    ['wallet:0', 'gas', '12'],
    ['wallet:0', 'runs', '1'],
  ]);
});

test('of runs that open at once, no more are open than may be, of all and of one owner', async () => {
  const openMax = { subject: 'unplanned', ofAll: 5, ofOwner: 2 };
  const claims = [{ subject: 'unplanned', measure: 'gas', amount: 1n, dailyMax: 1_000n }];
  const run = (nth: number, owner: string) =>
    openRun(db, {
      ...buildRun({ ...fc.sample(asked, 1)[0]!, wallet: nth }),
      walletId: `${owner} ${nth}`,
      owner,
      claims,
      openMax,
    });
  const count = (openings: { kind: string }[], kind: string) =>
    openings.filter((opening) => opening.kind === kind).length;

  const ofOne = await Promise.all(Array.from({ length: 6 }, (_, nth) => run(nth, 'a')));
  expect([count(ofOne, 'opened'), count(ofOne, 'crowded')]).toEqual([2, 4]);
  expect(ofOne.find(({ kind }) => kind === 'crowded')).toEqual({ kind: 'crowded', whose: 'owner' });
  const ofOthers = await Promise.all(Array.from({ length: 8 }, (_, nth) => run(0, `b${nth}`)));
  expect([count(ofOthers, 'opened'), count(ofOthers, 'crowded')]).toEqual([3, 5]);
  expect(ofOthers.find(({ kind }) => kind === 'crowded')).toEqual({ kind: 'crowded', whose: 'all' });
  const { rows } = await db.query('select reserved::int from agent_limits');
  expect(rows).toEqual([{ reserved: 5 }]);

  // Planned runs reserve nothing of it, and are not counted.
  const planned = buildRun({ ...fc.sample(asked, 1)[0]!, wallet: 99, planned: true });
  expect((await openRun(db, { ...planned, claims: [] })).kind).toBe('opened');
  const [open] = ofOne.flatMap((opening) => (opening.kind === 'opened' ? [opening.run] : []));
  const ending = { state: 'failed', code: 'interrupted', spent: [], gas: null } as const;
  await endRun(db, { run: open!, worker }, { ...ending, lines: noLines });
  expect((await run(7, 'c')).kind).toBe('opened');
});

const toVerdict = (outcome: OperatorVerdict['outcome']): OperatorVerdict => ({
  outcome,
  note: 'n',
  spent: [],
  at: startedAt,
  line: () => ({ step: 'confirm', status: 'done' }),
  code: null,
});

/** Opens a run that reserves of five limits, and leaves it without an outcome. Returns its id. */
async function leaveUnknown(): Promise<number> {
  await live({ wallet: 0, coins: 10n, gas: 5n, more: 7n, planned: false, end: 'open', charged: 0 });
  await db.query(`update agent_runs set state = 'unknown', digest = 'd'`);
  return (await db.query<{ id: number }>('select id from agent_runs')).rows[0]!.id;
}

test.each([
  ['executed', { runs: '1', gas: '12', [coin]: '10' }],
  ['not_executed', { runs: '1', gas: '0', [coin]: '0' }],
] as const)(
  'a run that the operator settles as %s counts as a run, and holds nothing',
  async (outcome, spent) => {
    expect(await settleUnknown(db, await leaveUnknown(), toVerdict(outcome))).toEqual({ kind: 'settled' });
    const rows = (await limits()).filter(({ subject }) => subject === 'wallet:0');
    expect(Object.fromEntries(rows.map((row) => [row.measure, row.spent]))).toEqual(spent);
    expect(new Set((await limits()).map(({ reserved }) => reserved))).toEqual(new Set(['0']));
  },
);

test('a run that the operator settles waits for the first limit before it holds another', async () => {
  const run = await leaveUnknown();
  // A small table is read as it lies, and an update moves a row to its end.
  await db.query(`update agent_limits set daily_max = daily_max where subject = 'owner:0'`);
  await db.query('analyze agent_limits, agent_reservations');
  const other = await db.connect();
  onTestFinished(() => other.release(true));
  await other.query('begin');
  await other.query(`select from agent_limits where subject = 'owner:0' for update`);
  const settled = settleUnknown(db, run, toVerdict('executed'));
  await eventually(async () => {
    const { rows } = await db.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
  });
  await other.query('select from agent_limits for update nowait');
  await other.query('commit');
  expect(await settled).toEqual({ kind: 'settled' });
});
