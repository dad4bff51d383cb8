import type { Network } from '@adaptor-marketplace/adaptor';
import { Registry } from '@prometheus-io/client';
import { expect } from 'vitest';
import type { Kv } from '../../lib/kv/kv.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createSecretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions } from '../../lib/webhooks/subscriptions.ts';
import { problem } from '../../services/gateway/openapi/parts.ts';
import { dispatchBody } from '../../services/gateway/webhooks/deliveries.ts';
import { subscriptionBody } from '../../services/gateway/webhooks/subscription-shapes.ts';
import { buildRequest } from './build-request.ts';
import { redisDatabase } from './database.ts';
import { startTestGateway } from './gateway.ts';
import { adminSecret, asAdmin, cronSecret, issueTestKey } from './keys.ts';
import { openTestKv } from './kv.ts';
import { startReceiver, unhurriedDispatch } from './receiver.ts';
import { registryEvents } from './registry-events.ts';
import { createDispatcher, type Dispatcher, quickRules } from './webhooks.ts';

/** Addresses of the receiver's host names. */
const names: Record<string, string> = { 'inside.example': '10.0.0.7', 'outside.example': '8.8.8.8' };

/** A gateway with webhooks, a dispatcher on its database, a receiver, and two API keys. */
export async function openWebhookGateway() {
  const kv: Kv = await openTestKv(await redisDatabase());
  const outbound = createOutbound({
    allowCidrs: ['127.0.0.1/32'],
    plainHttp: true,
    connectionsPerHost: 'unbounded',
    lookup: (name, _options, callback) => {
      const address = names[name];
      if (address) callback(null, [{ address, family: 4 }]);
      else callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    },
  });
  const subscriptions = openSubscriptions(kv);
  const secrets = createSecretBox(adminSecret);
  const access = { kv, adminSecret, cronSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  let dispatcher: Dispatcher | undefined;
  const gateway = await startTestGateway(
    (seed) => seed.source(),
    (db) => {
      const metrics = new Registry();
      const options = { db, networks: ['testnet'] as const, subscriptions, secrets, outbound, metrics };
      const bounds = { ...unhurriedDispatch, rules: quickRules, pollMs: 20 };
      const made = createDispatcher({ ...options, ...bounds, log: silentLogger });
      const dispatch = (network: Network) => made.dispatch(network, unhurriedDispatch.timeoutMs);
      dispatcher = made;
      return { access, webhooks: { subscriptions, secrets, outbound, dispatch } };
    },
  );
  const { addEvents } = registryEvents(gateway.db);
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 100_000 });
  const { key: otherKey } = await issueTestKey(gateway.url, { ratePerMin: 100_000 });
  let status = 204;
  const receiver = await startReceiver((response) => response.writeHead(status).end('the answer'));

  const base = '/api/adaptors/webhooks';
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'x-api-key': key },
  ) {
    const answer = await fetch(gateway.url + base + path, buildRequest(body, headers, method));
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    };
  }
  const subscribe = async (fields: Record<string, unknown> = {}) => {
    const answer = await call('POST', '', { url: receiver.url, events: ['Registered'], ...fields });
    expect(answer.status).toBe(200);
    return subscriptionBody.parse(answer.body);
  };
  async function refused(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await call(method, path, body, headers);
    const { code, detail, errors } = problem.parse(answer.body);
    return { status: answer.status, code, detail, paths: errors?.map((row) => row.path) };
  }
  const run = async () => dispatchBody.parse((await call('GET', '/dispatch', undefined, asAdmin)).body);

  const close = async () => {
    await dispatcher?.close();
    await gateway.close();
    await receiver.close();
    await outbound.close();
    await kv.close();
  };
  /** Sets the status of the receiver's next answers. */
  const answerWith = (next: number) => {
    status = next;
  };
  return {
    gateway,
    kv,
    receiver,
    key,
    otherKey,
    addEvents,
    call,
    subscribe,
    refused,
    run,
    answerWith,
    close,
    dispatcher: dispatcher!,
  };
}
