import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { fetchUsage } from '../measure.ts';
import { fill } from './fill.ts';
import { excepted, type HeldRequest, listRequests } from './requests.ts';
import { startServices } from './services.ts';

/** Milliseconds of processor time for which a request may hold the event loop. */
const holdMsMax = 50;
/** Attempts of a request that holds the loop too long: the first may compile its code, or collect garbage of others. */
const attemptsMax = 3;
/** Addresses that were sent from so far. */
let addresses = 0;

/**
 * Measures for how long each route holds the event loop of the gateway, in processor time, with the largest data that is legal.
 * A loop of known length in the same process is the control: a measurement that does not see it proves nothing.
 * @returns `false` if a request holds the loop longer than the control
 */
async function holdsEventLoop(print: (line: string) => void): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const services = await startServices(stack, fill);
  const control = await measureControl(services.gateway);
  print(`control: a loop of ${holdMsMax} ms is measured as ${control.toFixed(1)} ms`);
  if (control < holdMsMax) throw new Error('the measurement does not see the control');
  const results = [];
  let failed = 0;
  for (const request of listRequests(services)) {
    try {
      const holds = await measure(services.gateway, services.url, request, control);
      results.push({ name: request.name, first: holds[0]!, least: Math.min(...holds) });
    } catch (error) {
      failed += 1;
      print(`failed: ${getErrorMessage(error)}`);
    }
  }
  const sorted = results.toSorted((a, b) => b.least - a.least);
  const missed = sorted.filter(({ least }) => least > control);
  for (const { name, first, least } of sorted.slice(0, Math.max(missed.length, 12))) {
    const verdict = least > control ? 'missed' : 'held';
    print(`${verdict}: ${name}: ${least.toFixed(1)} ms, the first time ${first.toFixed(1)} ms`);
  }
  print(
    `${sorted.length - missed.length} of ${sorted.length} requests hold the event loop for at most the control`,
  );
  for (const [route, reason] of Object.entries(excepted)) print(`not measured: ${route}: ${reason}`);
  return missed.length === 0 && failed === 0;
}

if (!(await holdsEventLoop(console.log))) process.exitCode = 1;

async function measureControl(gateway: ChildProcess): Promise<number> {
  await fetchUsage(gateway);
  gateway.send({ busyMs: holdMsMax });
  await delay(3 * holdMsMax);
  return (await fetchUsage(gateway)).loop.busyMaxMs;
}

/** Returns the longest hold of each attempt, in milliseconds: up to the first one that is within the bound. */
async function measure(
  gateway: ChildProcess,
  url: string,
  request: HeldRequest,
  boundMs: number,
): Promise<number[]> {
  const holds: number[] = [];
  for (let attempt = 0; attempt < attemptsMax && !holds.some((ms) => ms <= boundMs); attempt += 1) {
    await delay(5);
    await fetchUsage(gateway);
    await send(url, request, attempt);
    await delay(5);
    holds.push((await fetchUsage(gateway)).loop.busyMaxMs);
  }
  return holds;
}

/** Returns an address that has sent nothing yet: an address may try 60 credentials a minute, the right ones included. */
function nextAddress(): string {
  addresses += 1;
  return `10.0.${addresses >> 8}.${addresses & 255}`;
}

async function send(
  url: string,
  { name, path, init, body, mayFail, streamMs }: HeldRequest,
  attempt: number,
) {
  const signal = streamMs === undefined ? null : AbortSignal.timeout(streamMs);
  const sent = body ? { ...init, body: JSON.stringify(body(attempt)) } : init;
  const headers = new Headers(sent?.headers);
  if (headers.has('authorization')) headers.set('x-forwarded-for', nextAddress());
  const answer = await fetch(`${url}${path(attempt)}`, { ...sent, headers, signal });
  const text = await answer.text().catch(() => '');
  if (answer.status >= 500 || (!mayFail && answer.status >= 400)) {
    throw new Error(`${name}: ${answer.status} ${text.slice(0, 500)}`);
  }
}
