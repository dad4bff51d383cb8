import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { followAction } from './actions.ts';
import type { AgentActionRequest, AgentRunStep } from './generated/types.gen.ts';
import { createSend } from './requests.ts';

const real = setTimeout;
/** Delays between attempts take no time. Those that end a silent stream are run by the test. */
const silences: (() => void)[] = [];
beforeEach(() => {
  silences.length = 0;
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    if (ms <= 40_000) return real(run, 0);
    silences.push(run);
    return undefined;
  });
});
afterEach(() => void vi.unstubAllGlobals());

const steps: AgentRunStep[] = (['validate', 'authorize', 'draft', 'sign', 'confirm'] as const).flatMap(
  (step) => [
    { step, status: 'active' },
    { step, status: 'done' },
  ],
);
const action = {
  action: 'spend',
  coinType: '0x2::sui::SUI',
  amount: '1',
  recipient: '0x1',
  owner: '0x2',
  walletId: '0x3',
} satisfies AgentActionRequest;

/** A response with the lines up to a byte. A body that ends there without an error is incomplete too. */
function answer(lines: readonly AgentRunStep[], bytes = Number.POSITIVE_INFINITY, headers = {}): Response {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return new Response(text.slice(0, bytes), { headers: { 'x-run-id': '42', ...headers } });
}

interface Asked {
  method: string;
  path: string;
  requestId: string | undefined;
}

function marketplace(respond: (asked: Asked, count: number) => Response) {
  const asked: Asked[] = [];
  const fetch = async (input: string | URL | Request) => {
    const request = input as Request;
    const text = await request.text();
    const { pathname, search } = new URL(request.url);
    const requestId = text ? JSON.parse(text).requestId : undefined;
    const one = { method: request.method, path: pathname + search, requestId };
    asked.push(one);
    return respond(one, asked.length);
  };
  const send = createSend({ baseUrl: 'http://market', fetch });
  return { asked, run: (request: AgentActionRequest) => followAction(send, 'http://market', request) };
}

describe('runAction()', () => {
  test('yields each step once, wherever the connection is cut, and starts the run once', async () => {
    const { asked, run } = marketplace(({ method, path }, count) => {
      if (method === 'POST') return answer(steps, 70);
      const from = Number(new URL(path, 'http://market').searchParams.get('from'));
      return answer(steps.slice(from), count < 8 ? 50 + count : undefined);
    });
    expect(await Array.fromAsync(run(action))).toEqual(steps);
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked[1]!.path).toMatch(/^\/api\/agent\/runs\/42\/stream\?from=1&requestId=[0-9a-f]{32}$/);
  });

  test('sends the same requestId until the marketplace has named the run', async () => {
    const { asked, run } = marketplace((_, count) => {
      if (count === 1) throw new TypeError('refused');
      if (count === 2) return Response.json({ code: 'agent_unavailable' }, { status: 502 });
      return answer(steps);
    });
    expect(await Array.fromAsync(run(action))).toEqual(steps);
    const ids = asked.map(({ requestId }) => requestId);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), ids[0], ids[0]]);
    const own = marketplace(() => answer(steps));
    await Array.fromAsync(own.run({ ...action, requestId: 'mine' }));
    expect(own.asked.map(({ requestId }) => requestId)).toEqual(['mine']);
  });

  test('ends with the failed step and its code', async () => {
    const failure: AgentRunStep = {
      step: 'simulate',
      status: 'error',
      code: 'move_abort',
      detail: 'It aborts.',
    };
    const { run } = marketplace(() => answer([...steps.slice(0, 2), failure]));
    const seen: AgentRunStep[] = [];
    const reading = (async () => {
      for await (const step of run({ ...action, requestId: 'mine' })) seen.push(step);
    })();
    await expect(reading).rejects.toMatchObject({
      name: 'ActionError',
      code: 'move_abort',
      message: 'It aborts.',
      step: 'simulate',
      requestId: 'mine',
      runId: '42',
    });
    expect(seen.at(-1)).toEqual(failure);
  });

  test('is refused once, with the code of the marketplace', async () => {
    const { asked, run } = marketplace(() =>
      Response.json({ code: 'frozen', detail: 'Frozen.' }, { status: 403 }),
    );
    await expect(Array.fromAsync(run(action))).rejects.toMatchObject({ code: 'frozen', status: 403 });
    expect(asked).toHaveLength(1);
  });

  test('attaches to the same run again after a silence, before its first step and between two', async () => {
    const { asked, run } = marketplace(({ path }, count) => {
      if (count > 2)
        return answer(steps.slice(Number(new URL(path, 'http://market').searchParams.get('from'))));
      const line = count === 1 ? '' : `${JSON.stringify(steps[0])}\n`;
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(` ${line}`)),
        pull: async () => {
          // The reader waits for the next bytes once it has read these.
          await new Promise<void>((resolve) => real(resolve, 0));
          for (const end of silences) end();
          return await new Promise<never>(() => undefined);
        },
      });
      return new Response(body, { headers: { 'x-run-id': '42' } });
    });
    expect(await Array.fromAsync(run({ ...action, requestId: 'mine' }))).toEqual(steps);
    expect(asked.map(({ path }) => path)).toEqual([
      '/api/agent/run',
      '/api/agent/runs/42/stream?from=0&requestId=mine',
      '/api/agent/runs/42/stream?from=1&requestId=mine',
    ]);
  });

  test('gives a run up that stays lost, and says by which requestId it is found again', async () => {
    const { asked, run } = marketplace((_, count) => {
      if (count > 1) throw new TypeError('refused');
      return answer(steps, 70);
    });
    await expect(Array.fromAsync(run({ ...action, requestId: 'mine' }))).rejects.toThrow(/requestId is mine/);
    expect(asked).toHaveLength(8);
  });

  test.each([
    ['no service answers any more', 502],
    ['the key is withdrawn meanwhile', 401],
    ['the caller has to wait too long', 429],
  ])('says by which requestId a run is found that may have begun before %s', async (_, status) => {
    const { run } = marketplace((_, count) =>
      Response.json({ code: 'refused' }, { status: count === 1 ? 502 : status }),
    );
    await expect(Array.fromAsync(run({ ...action, requestId: 'mine' }))).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('requestId is mine'),
      cause: { status },
    });
  });
});
