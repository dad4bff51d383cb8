import { setTimeout as delay } from 'node:timers/promises';
import { ActionError, createMarketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import { describeSpend } from '../support/spend-request.ts';
import type { World } from './world.ts';

/** Payments of the demo's wallet by the agent, one after the other, each to an address of its own. */
export interface Runs {
  /** Ends of the requests by recipient, as their sender heard of them. Undefined: it gave up before it heard. */
  heard: ReadonlyMap<string, 'done' | 'failed' | undefined>;
  /** Reason why the last payment that was not done failed, or was sent again. */
  trouble(): string;
  /** Resolves when the sender has ended, after the signal has aborted. */
  ended: Promise<void>;
  /** Pays again until a payment is done, or the time is over. */
  payOnceMore(): Promise<void>;
}

/** Amount of a payment, in MIST. */
const amount = '1000';
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

export function startRuns({ demo, gateways }: World, signal: AbortSignal): Runs {
  const heard = new Map<string, 'done' | 'failed' | undefined>();
  let trouble = 'none';
  const marketplaces = gateways.map((baseUrl) =>
    createMarketplace({ baseUrl, token: demo.agent.executorKey }),
  );
  async function pay(recipient: string, until: AbortSignal): Promise<'done' | 'failed'> {
    const action = {
      ...describeSpend(demo),
      action: 'spend' as const,
      amount,
      recipient,
      requestId: recipient,
    };
    for (let attempt = 0; ; attempt += 1) {
      try {
        const patience = AbortSignal.any([until, AbortSignal.timeout(patienceMs)]);
        for await (const _ of marketplaces[attempt % 2]!.runAction(action, { signal: patience }));
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
  async function payNext(until: AbortSignal): Promise<'done' | 'failed'> {
    const recipient = `0x5${(heard.size + 1).toString(16).padStart(63, '0')}`;
    heard.set(recipient, undefined);
    const end = await pay(recipient, until);
    heard.set(recipient, end);
    await delay(betweenMs, undefined, { signal: until });
    return end;
  }
  async function payOn(): Promise<void> {
    while (!signal.aborted) await payNext(signal);
  }
  const ended = payOn().catch((error) => {
    if (!signal.aborted) throw error;
  });
  // Until somebody waits for it.
  ended.catch(() => undefined);
  return {
    heard,
    trouble: () => trouble,
    ended,
    async payOnceMore() {
      const time = AbortSignal.timeout(onceMoreMsMax);
      while ((await payNext(time)) === 'failed');
    },
  };
}
