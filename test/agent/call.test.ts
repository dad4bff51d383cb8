import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { beforeAll, describe, expect, test } from 'vitest';
import { milliSui, SUI } from '../../services/demo/publish.ts';
import type { DemoWallet } from '../../services/demo/wallets.ts';
import { openSession } from '../support/agent-session.ts';
import { executorKey, postAction, readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import {
  capsForAgent,
  readBalances,
  startDemoAgent,
  startDemoTools,
  walletForAgent,
} from '../support/demo-tools.ts';
import { asAdmin } from '../support/keys.ts';
import { useForFile } from '../support/use-for-file.ts';

/* The action `call`, as its callers send it. Every check of a run applies to it, and none of them is weaker. */

type Headers = Record<string, string>;

let wallet: DemoWallet;
let other: DemoWallet;
let key: Headers;
const world = useForFile(startDemoTools);
const agent = useForFile(() => startDemoAgent(world));
beforeAll(async () => {
  wallet = await walletForAgent(world, capsForAgent(world, milliSui(100)));
  other = await walletForAgent(world);
  await world.knowsAll();
  key = await keyWith();
});

/** Issues an executor key for the wallet, with the given bounds. */
const keyWith = (bounds: object = {}, { walletId } = wallet) => executorKey(agent, walletId, bounds);

const post = (path: 'run' | 'simulate', fields: object, headers: Headers = key, of = wallet) =>
  postAction(agent, path, of, fields, headers);

const vault = () => world.demo.venues.vault;
/** A deposit into the vault by the op's name. */
const deposit = (more: object = {}) => ({
  action: 'call',
  adaptor: vault().serviceType,
  op: 'share_vault::deposit',
  spends: [{ coinType: SUI, amount: '1000' }],
  receivesAtLeast: [{ coinType: vault().coins.share, amount: '1' }],
  ...more,
});
const spend = () => ({
  action: 'spend',
  coinType: SUI,
  amount: '1',
  recipient: world.demo.provider.address,
});

const readSuiBalance = async ({ walletId } = wallet) =>
  (await readBalances(world, walletId, [SUI])).get(SUI)!;
const countRuns = async ({ walletId } = wallet): Promise<number> =>
  (await world.db.pool.query('select from agent_runs where wallet_id = $1', [walletId])).rowCount ?? 0;
const refusal = async (answer: Response) => {
  const { code, errors } = await answer.json();
  return [answer.status, code, errors?.[0]?.path];
};

describe('a call over HTTP', () => {
  test('does what its op does, for a key of the wallet and for a session of the owner', async () => {
    const session = await openSession(agent, wallet.owner);
    for (const headers of [key, session]) {
      const before = await readSuiBalance();
      const lines = await readSteps(await post('run', deposit(), headers));
      expect(lines.at(-1)).toMatchObject({ step: 'confirm', status: 'done', digest: expect.any(String) });
      expect(before - (await readSuiBalance())).toBe(1_000n);
    }
  });

  test('of a request that was sent before answers its run, and moves nothing again', async () => {
    const asked = deposit({ requestId: 'called-once' });
    const first = await post('run', asked);
    const lines = await readSteps(first);
    const [before, runs] = [await readSuiBalance(), await countRuns()];
    const again = await post('run', asked);
    expect(await readSteps(again)).toEqual(lines);
    expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'));
    const changed = deposit({ requestId: 'called-once', receivesAtLeast: [] });
    expect(await refusal(await post('run', changed))).toEqual([
      ...[422, 'request_id_reused', 'body.requestId'],
    ]);
    expect([await readSuiBalance(), await countRuns()]).toEqual([before, runs]);
  });

  test('of several requests at once under one requestId is one run', async () => {
    const before = await readSuiBalance();
    const asked = deposit({ requestId: 'called-at-once' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('run', asked)));
    expect(new Set(answers.map(({ headers }) => headers.get('x-run-id'))).size).toBe(1);
    const ends = await Promise.all(answers.map(async (answer) => (await readSteps(answer)).at(-1)!.digest));
    expect(new Set(ends).size).toBe(1);
    expect(before - (await readSuiBalance())).toBe(1_000n);
  });
});

describe('a call is refused before a run begins', () => {
  test('for a key whose scope leaves out the action, the adaptor or the coin, also as a step', async () => {
    const { serviceType } = world.demo.venues.swap;
    const limits = (amount: string) => [{ coinType: SUI, amount }];
    const runs = await countRuns();
    const refused: [bounds: object, path: string][] = [
      [{ actions: ['spend', 'vaultDeposit'] }, 'action'],
      [{ services: [serviceType] }, 'adaptor'],
      [{ maxPerRun: limits('999') }, ''],
      [{ maxPerDay: limits('999') }, ''],
      [{ maxPerRun: [{ coinType: vault().coins.share, amount: '1' }] }, ''],
    ];
    for (const [bounds, field] of refused) {
      const scoped = await keyWith({ actions: ['spend', 'call'], ...bounds });
      for (const path of ['run', 'simulate'] as const) {
        const at = field === '' ? 'body' : `body.${field}`;
        expect(await refusal(await post(path, deposit(), scoped))).toEqual([403, 'out_of_scope', at]);
        const steps = [spend(), deposit()];
        const atStep = field === '' ? 'body' : `body.steps.1.${field}`;
        expect(await refusal(await post(path, { action: 'compose', steps }, scoped))).toEqual([
          ...[403, 'out_of_scope', atStep],
        ]);
      }
    }
    expect(await countRuns()).toBe(runs);
    const enough = await keyWith({ actions: ['call'], services: [vault().serviceType] });
    expect(await (await post('simulate', deposit(), enough)).json()).toMatchObject({ wouldSucceed: true });
  });

  test('for a caller without a credential, of another wallet, or of another owner', async () => {
    const thief = new Ed25519Keypair();
    const session = await openSession(agent, { address: thief.toSuiAddress(), keypair: thief });
    const runs = await countRuns();
    for (const path of ['run', 'simulate'] as const) {
      expect(await refusal(await post(path, deposit(), {}))).toEqual([401, 'unauthorized', undefined]);
      const others = await keyWith({}, other);
      expect(await refusal(await post(path, deposit(), others))).toEqual([403, 'wrong_wallet', undefined]);
      expect((await post(path, deposit(), session)).status).toBe(403);
      expect(await refusal(await post(path, deposit(), asAdmin))).toEqual([403, 'forbidden', undefined]);
    }
    expect(await countRuns()).toBe(runs);
  });

  test('while its wallet or every wallet is frozen', async () => {
    const freeze = (method: string, body?: object, query = '') =>
      agent.ask(`/api/agent/freezes${query}`, buildRequest(body, asAdmin, method));
    const { walletId } = wallet;
    const before = await readSuiBalance();
    for (const [one, query] of [
      [{ network: 'testnet', walletId }, `?network=testnet&walletId=${walletId}`],
      [{}, ''],
    ] as const) {
      expect((await freeze('POST', { ...one, reason: 'looks odd' })).status).toBe(200);
      expect(await refusal(await post('run', deposit()))).toEqual([403, 'frozen', undefined]);
      const steps = [deposit(), spend()];
      expect((await post('run', { action: 'compose', steps })).status).toBe(403);
      expect((await freeze('DELETE', undefined, query)).status).toBe(204);
    }
    expect(await readSuiBalance()).toBe(before);
    expect((await readSteps(await post('run', deposit()))).at(-1)).toMatchObject({ status: 'done' });
  });

  test('where the manifest has no op of this name, with the name that was probably meant', async () => {
    const runs = await countRuns();
    const slip = deposit({ op: 'share_vault::depositt' });
    const message = 'the manifest has no op share_vault::depositt; did you mean share_vault::deposit?';
    const bodies: [body: object, path: string][] = [
      [slip, 'body.op'],
      [{ action: 'compose', steps: [spend(), slip] }, 'body.steps.1.op'],
    ];
    for (const path of ['run', 'simulate'] as const) {
      for (const [body, at] of bodies) {
        const answer = await post(path, body);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({
          code: 'invalid_body',
          detail: expect.stringContaining(message),
          errors: [{ path: at, message }],
        });
      }
      // If no op has a similar name, the error suggests none.
      const far = await (await post(path, deposit({ op: 'treasury::take_all' }))).json();
      expect(far.errors).toEqual([{ path: 'body.op', message: 'the manifest has no op treasury::take_all' }]);
    }
    expect(await countRuns()).toBe(runs);
    const unlisted = deposit({ adaptor: `0x${'7'.repeat(64)}::share_vault::ShareVault` });
    const last = (await readSteps(await post('run', unlisted))).at(-1)!;
    expect(last).toMatchObject({ status: 'error', code: 'adaptor_not_listed' });
  });

  test('where a field is unknown, missing, repeated, too long or of another shape', async () => {
    const coin = { coinType: SUI, amount: '1' };
    const many = Array.from({ length: 9 }, (_, nth) => ({ coinType: `0x${nth + 1}::a::A`, amount: '1' }));
    const runs = await countRuns();
    const bad: object[] = [
      deposit({ spends: undefined }),
      deposit({ receivesAtLeast: undefined }),
      deposit({ spends: many, receivesAtLeast: [] }),
      deposit({ spends: [coin, { ...coin, coinType: '0x02::sui::SUI' }] }),
      deposit({ spends: [{ ...coin, amount: '-1' }] }),
      deposit({ spends: [{ ...coin, amount: '18446744073709551616' }] }),
      deposit({ spends: [{ ...coin, amount: 1 }] }),
      deposit({ op: 'share_vault::deposit::x' }),
      deposit({ op: 'share_vault::de\u0000posit' }),
      deposit({ op: `${'a'.repeat(200)}::b` }),
      deposit({ adaptor: '../../admin' }),
      deposit({ receive: [] }),
      deposit({ values: 'all' }),
      deposit({ values: Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`v${nth}`, 1])) }),
      deposit({ objectId: vault().serviceType }),
    ];
    for (const path of ['run', 'simulate'] as const) {
      for (const body of bad) {
        const answer = await post(path, body);
        expect([answer.status, JSON.stringify(body).slice(0, 300)]).toEqual([400, expect.anything()]);
      }
      expect((await post(path, deposit({ values: { name: 'x'.repeat(70_000) } }))).status).toBe(413);
    }
    expect(await countRuns()).toBe(runs);
  });
});
