import { setTimeout as delay } from 'node:timers/promises';
import { ActionError, createMarketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import { describeSpend } from '../support/spend-request.ts';
import type { World } from './world.ts';

/** Payments of the demo's wallet by the agent, one after the other, each to an address of its own. */
export interface Runs {
  /** Ends of the requests by recipient, as their sender heard of them. Undefined: it gave up before it heard. */
  heard: ReadonlyMap<string, 'done' | 'failed' | undefined>;
  /** Resolves when the sender has ended, after the signal has aborted. */
  ended: Promise<void>;
}

/** Amount of a payment, in MIST. */
const amount = '1000';
const betweenMs = 100;

export function startRuns({ demo, gateways }: World, signal: AbortSignal): Runs {
  const heard = new Map<string, 'done' | 'failed' | undefined>();
  const marketplaces = gateways.map((baseUrl) =>
    createMarketplace({ baseUrl, token: demo.agent.executorKey }),
  );
  async function pay(recipient: string): Promise<'done' | 'failed'> {
    const action = {
      ...describeSpend(demo),
      action: 'spend' as const,
      amount,
      recipient,
      requestId: recipient,
    };
    for (let attempt = 0; ; attempt += 1) {
      try {
        for await (const _ of marketplaces[attempt % 2]!.runAction(action, { signal }));
        return 'done';
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ActionError) return 'failed';
        const isRefused = error instanceof MarketplaceError && error.status < 500 && error.status !== 429;
        // The wallet is not free while an earlier run of it is open.
        if (isRefused && error.status !== 409) throw error;
        await delay(betweenMs, undefined, { signal });
      }
    }
  }
  async function payOn(): Promise<void> {
    for (let at = 1; !signal.aborted; at += 1) {
      const recipient = `0x${at.toString(16).padStart(64, '5')}`;
      heard.set(recipient, undefined);
      heard.set(recipient, await pay(recipient));
      await delay(betweenMs, undefined, { signal });
    }
  }
  const ended = payOn().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return { heard, ended };
}
