import { setTimeout as delay } from 'node:timers/promises';
import {
  ActionError,
  type AgentActionRequest,
  createMarketplace,
  MarketplaceError,
} from '@adaptor-marketplace/sdk';
import { issueExecutorKey } from '../support/agent-world.ts';
import { listAllEvents } from '../support/all-events.ts';
import type { Random } from '../support/frames/random.ts';
import { describeSpend } from '../support/spend-request.ts';
import type { World } from '../support/world/world.ts';
import { listActions } from './actions.ts';

/** A request of the agent, as its sender knows it. */
interface Request {
  action: string;
  /** Address of its own, for a payment. */
  recipient?: string;
  /** Undefined: its sender gave up before it heard. */
  end?: 'done' | 'failed';
}

/** Actions of the demo's wallet by the agent, one after the other. */
export interface Runs {
  /** Keys are request ids. */
  requests: ReadonlyMap<string, Request>;
  /** Digests of the transactions before the first request. */
  earlier: ReadonlySet<string>;
  /** Reason why the last action that was not done failed, or was sent again. */
  trouble(): string;
  /** Resolves when the sender has ended, after the signal has aborted. */
  ended: Promise<void>;
  /** Sends more requests until a payment and another action are done, or the time is over. */
  runOnceMore(): Promise<void>;
}

/** Amount of a payment, in MIST. */
const amount = '1000';
/** Share of the requests that are payments. */
const paymentShare = 0.5;
const betweenMs = 100;
/** Time after which the sender asks the other gateway about the same request. */
const patienceMs = 5_000;
const onceMoreMsMax = 120_000;

/** A daily limit ends at midnight: a world that reaches one would only wait. */
const lasts = new Set(['daily_limit', 'gas_limit', 'run_limit']);

/**
 * An earlier run of the wallet is open, the wallet is not indexed yet, a crash of the database took a run that had signed
 * nothing, there were too many requests, or a part is away.
 */
const mayChange = ({ status, code }: MarketplaceError) =>
  !lasts.has(code) &&
  ([409, 429].includes(status) || ['wallet_not_found', 'run_not_found'].includes(code) || status >= 500);

interface RunOptions {
  random: Random;
  /** `true`: no action but payments. */
  paysOnly: boolean;
  signal: AbortSignal;
}

export async function startRuns(world: World, { random, paysOnly, signal }: RunOptions): Promise<Runs> {
  const { demo, gateways, archive } = world;
  const earlier = new Set((await listAllEvents(archive)).map(({ digest }) => digest));
  const actions = listActions(demo);
  const { owner, network } = demo;
  const requests = new Map<string, Request>();
  let trouble = 'none';
  const ask = (path: string, init?: RequestInit) => fetch(`${gateways[0]}${path}`, init);
  const { key: token } = await issueExecutorKey({ ask }, owner.walletId);
  const marketplaces = gateways.map((baseUrl) => createMarketplace({ baseUrl, token }));
  async function send(requestId: string, fields: object, until: AbortSignal): Promise<'done' | 'failed'> {
    const request = { owner: owner.address, walletId: owner.walletId, network, requestId, ...fields };
    for (let attempt = 0; ; attempt += 1) {
      try {
        const patience = AbortSignal.any([until, AbortSignal.timeout(patienceMs)]);
        const marketplace = marketplaces[attempt % 2]!;
        for await (const _ of marketplace.runAction(request as AgentActionRequest, { signal: patience }));
        return 'done';
      } catch (error) {
        until.throwIfAborted();
        trouble = String(error);
        if (error instanceof ActionError) return 'failed';
        if (error instanceof MarketplaceError && !mayChange(error)) throw error;
        await delay(betweenMs, undefined, { signal: until });
      }
    }
  }
  async function sendNext(pays: boolean, until: AbortSignal): Promise<'done' | 'failed'> {
    const number = requests.size + 1;
    const recipient = `0x5${number.toString(16).padStart(63, '0')}`;
    const fields = pays ? { ...describeSpend(demo), amount, recipient } : random.pick(actions);
    const request: Request = { action: fields.action, ...(pays && { recipient }) };
    requests.set(`run-${number}`, request);
    request.end = await send(`run-${number}`, fields, until);
    await delay(betweenMs, undefined, { signal: until });
    return request.end;
  }
  async function sendOn(): Promise<void> {
    while (!signal.aborted) await sendNext(paysOnly || random.chance(paymentShare), signal);
  }
  const ended = sendOn().catch((error) => {
    if (!signal.aborted) throw error;
  });
  // Until somebody waits for it.
  ended.catch(() => undefined);
  return {
    requests,
    earlier,
    trouble: () => trouble,
    ended,
    async runOnceMore() {
      const time = AbortSignal.timeout(onceMoreMsMax);
      for (const pays of paysOnly ? [true] : [true, false]) while ((await sendNext(pays, time)) === 'failed');
    },
  };
}
