import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { explainExecutionError, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { beforeAll, describe, expect, test } from 'vitest';
import { examples } from '../../lib/actions/examples.ts';
import type { TransactionDraft } from '../../lib/actions/tools-api.ts';
import { runSteps } from '../../lib/agent/shapes.ts';
import { dollars, milliSui, SUI } from '../../services/demo/publish.ts';
import type { DemoWallet } from '../../services/demo/wallets.ts';
import { effects, type ReadEvent } from '../support/agent-actions/effects.ts';
import { changes, type Positions, positionsMade, readHoldings } from '../support/agent-actions/holdings.ts';
import { refusals, type Turn, turns, turnTo } from '../support/agent-actions/refusals.ts';
import { type ActionRequests, actionRequests, type Fields } from '../support/agent-actions/requests.ts';
import { executorKey, postAction, readSteps, type TestAgent } from '../support/agent-world.ts';
import {
  capsForAgent,
  moveDollars,
  sendSponsored,
  startDemoAgent,
  startDemoTools,
  walletForAgent,
} from '../support/demo-tools.ts';
import { startToolDouble } from '../support/tool-double.ts';
import { useForFile } from '../support/use-for-file.ts';

type Agent = Pick<TestAgent, 'ask' | 'close'>;

let ask: ActionRequests;
/** The wallet of all tests in this file. They run in order and share its state. */
let wallet: DemoWallet;
/** Header with the executor key that runs the wallet's actions. */
let key: Record<string, string>;
let positions: Positions = {};

const world = useForFile(startDemoTools);
const agent = useForFile(() => startDemoAgent(world));
beforeAll(async () => {
  ask = actionRequests(world);
  wallet = await walletForAgent(world, capsForAgent(world, milliSui(100)));
  await moveDollars(world, wallet, dollars(50));
  await world.knowsAll();
  key = await executorKey(agent, wallet.walletId);
});

const holdings = () => readHoldings(world, wallet.walletId, positions);

const run = async (fields: Fields, on: Agent = agent) =>
  readSteps(await postAction(on, 'run', wallet, fields, key));

async function openEvents(digest: string): Promise<ReadEvent> {
  const { Transaction: read } = await world.client.getTransaction({ digest, include: { events: true } });
  return (name) => {
    const found = (read?.events ?? []).filter(({ eventType }) => eventType.endsWith(`::${name}`));
    expect(found.length, name).toBe(1);
    return found[0]!.json!;
  };
}

describe('an action does to the wallet and at the venue, to the unit, what was asked', () => {
  test.each(effects)('$what', async ({ request, changed, first }) => {
    await first?.(world);
    const before = await holdings();
    const lines = await run(request(ask, before));
    expect(lines.at(-1)).toEqual({ step: 'confirm', status: 'done', digest: expect.any(String) });
    expect(lines.map(({ step, status }) => `${step} ${status}`)).toEqual(
      runSteps.flatMap((step) => [`${step} active`, `${step} done`]),
    );
    const { digest = '' } = lines.at(-1)!;
    positions = { ...positions, ...(await positionsMade(world, digest)) };
    const expected = changed(before, await openEvents(digest));
    expect(changes(before, await holdings())).toEqual(changes({}, expected));
  });
});

test('what is taken back between the draft and the simulation ends the run there, and nothing is signed', async () => {
  const service = world.demo.venues.vault.serviceType;
  const grant = (allowance: bigint) =>
    execute(world.owner, (tx) => {
      wallets.grantServiceCoin(tx, wallet.target, { service, coinType: SUI, allowance });
    });
  await using closing = new AsyncDisposableStack();
  const tools = await startToolDouble(async ({ request }) => {
    const draft = await world.draft(request);
    await grant(0n);
    return draft;
  });
  closing.defer(() => tools.close());
  const late = await startDemoAgent(world, tools.url);
  closing.defer(() => late.close());
  const before = await holdings();
  const lines = await run(ask.vaultDeposit(), late);
  const place = `${world.demo.packages.wallet}::intent::assert_authorized`;
  expect(lines.at(-1)).toEqual({
    step: 'simulate',
    status: 'error',
    code: 'move_abort',
    detail: `The owner has not granted this service this coin. ${place} aborted with EAuthMissing (code 0).`,
  });
  expect(lines.map(({ digest }) => digest).filter(Boolean)).toEqual([]);
  expect(changes(before, await holdings())).toEqual({});
  await grant(unlimitedAllowance);
});

describe('the chain refuses what the owner took back after it was drafted, says where, and moves nothing', () => {
  const drafts = new Map<string, TransactionDraft>();
  const ahead = [...turns];
  let reached: Turn | undefined;

  beforeAll(async () => {
    const held = await holdings();
    for (const { what, request } of refusals) {
      drafts.set(what, await world.draft({ walletId: wallet.walletId, ...request(ask, held) }));
    }
  });

  async function send({ transactionKind }: TransactionDraft) {
    const sent = await sendSponsored(world, wallet.walletId, transactionKind);
    if (sent.$kind !== 'FailedTransaction') throw new Error(`executed: ${sent.Transaction.digest}`);
    return sent.FailedTransaction.status.error!;
  }

  test.each(refusals)('$what', async ({ what, after, abort }) => {
    while (reached !== after) {
      reached = ahead.shift()!;
      await turnTo[reached](world, wallet);
    }
    const before = await holdings();
    const error = await send(drafts.get(what)!);
    const { packages } = world.demo;
    const packageId = abort.venue === undefined ? packages.wallet : packages.protocols[abort.venue];
    const [module, functionName] = abort.place.split('::');
    expect(error.MoveAbort).toMatchObject({
      abortCode: String(abort.code),
      location: { package: packageId, module, functionName },
    });
    const said = abort.name
      ? `aborted with ${abort.name} (code ${abort.code}).`
      : `aborted with code ${abort.code}. Only the source of that module says what the code means.`;
    const { code, detail } = explainExecutionError(error, world.settings);
    expect(code).toBe('move_abort');
    const place = `${packageId}::${abort.place} ${said}`;
    expect(detail.endsWith(place), detail).toBe(true);
    // For aborts of the wallet package, the detail explains the code in words before it names the position.
    expect(detail !== place, detail).toBe(abort.name !== undefined);
    expect(changes(before, await holdings())).toEqual({});
  });
});

test.each([
  ['succeeds', effects.map(({ request }) => request)],
  ['is refused by the chain', refusals.map(({ request }) => request)],
])('each of the twenty actions %s', (_, requests) => {
  const asked = new Set(requests.map((request) => request(ask, {}).action));
  // `call` names its op directly. attacks.test.ts and tool-service.test.ts cover it.
  expect([...asked, 'call'].sort()).toEqual(Object.keys(examples).sort());
  expect(asked.size).toBe(20);
});
