import { randomInt } from 'node:crypto';
import { parseJson } from '../../lib/json.ts';
import type { DemoFile } from '../../services/demo/file.ts';
import { ApiDescription, type OpenApiDocument } from './description.ts';
import { encodeBody, send } from './exchange.ts';
import { SchemaValues, type Words } from './values.ts';

/** Credentials of the host's callers. */
interface Credentials {
  adminSecret: string;
  executorKey: string;
  apiKey: string;
}

/** The service that is fuzzed, with what its descriptions and its data say. */
export interface Host {
  baseUrl: string;
  api: ApiDescription;
  values: SchemaValues;
  words: Words;
  /** Absent for a host of someone else. */
  credentials: Credentials | undefined;
}

/** Opens a host: reads its description, and the ids, names and cursors that requests can contain. */
export async function openHost(
  baseUrl: string,
  own?: { demo: DemoFile; adminSecret: string },
): Promise<Host> {
  const api = new ApiDescription((await readJson(baseUrl, '/api/adaptors/openapi.json')) as OpenApiDocument);
  const words = new Map<string, string[]>();
  if (own) harvest(own.demo, words);
  // The second round has the parameters that the first one found.
  for (let round = 0; round < 2; round += 1) {
    for (const described of api.operations) {
      if (described.method !== 'get' || described.path.endsWith('/stream')) continue;
      const target = fillRequired(api, described, words);
      if (target === undefined) continue;
      const isPrivate = /^\/api\/(agent|admin|adaptors\/(keys|webhooks))/.test(target);
      harvest(await readJson(baseUrl, target, isPrivate ? own?.adminSecret : undefined), words);
    }
  }
  words.set('cursor', [...(words.get('nextCursor') ?? []), ...(words.get('endCursor') ?? [])]);
  words.set('after', words.get('id') ?? []);
  words.set('last-event-id', words.get('id') ?? []);
  for (const [name, found] of words) if (found.length === 0) words.delete(name);
  const values = new SchemaValues((ref) => api.resolve(ref), words);
  return { baseUrl, api, words, values, credentials: own && (await issueCredentials(baseUrl, own)) };
}

function fillRequired(
  api: ApiDescription,
  described: ApiDescription['operations'][number],
  words: Words,
): string | undefined {
  let { path } = described;
  const query = new URLSearchParams();
  for (const { in: place, name, required, example } of api.listParameters(described)) {
    const value = words.get(name)?.[0] ?? example;
    if (!required && !/limit|walletId|owner|provider|^address$/.test(name)) continue;
    if (name === 'limit') query.set(name, '2');
    else if (value === undefined) return undefined;
    else if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.set(name, value);
  }
  return `${path}?${query}`;
}

const wordsMax = 24;
const wordLengthMax = 1_000;

/** Collects the texts below a value by the names of their fields, and every address as `address`. */
function harvest(value: unknown, words: Map<string, string[]>, name = ''): void {
  if (typeof value === 'string') {
    if (value.length === 0 || value.length > wordLengthMax) return;
    add(words, name, value);
    if (/^0x[0-9a-f]{64}$/.test(value)) add(words, 'address', value);
  } else if (Array.isArray(value)) {
    for (const item of value) harvest(item, words, name.replace(/s$/, ''));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) harvest(child, words, key);
  }
}

function add(words: Map<string, string[]>, name: string, value: string): void {
  const known = words.get(name) ?? [];
  if (known.length < wordsMax && !known.includes(value)) words.set(name, [...known, value]);
}

/** A sender behind the proxy. Each has its own limit of credentials that it may try. */
const anySender = () => ['x-forwarded-for', `10.255.${randomInt(256)}.${randomInt(256)}`] as const;

/** Reads without a limit of time: on a busy machine the first answers of a host take longer than a request of the fuzzer may. */
async function readJson(baseUrl: string, target: string, bearer?: string): Promise<unknown> {
  const headers = new Headers([[...anySender()]]);
  if (bearer) headers.set('authorization', `Bearer ${bearer}`);
  const answer = await fetch(baseUrl + target, { headers });
  return parseJson(await answer.text());
}

/** Issues keys whose ids no request contains, so that none revokes them. */
async function issueCredentials(
  baseUrl: string,
  { demo, adminSecret }: { demo: DemoFile; adminSecret: string },
): Promise<Credentials> {
  const issue = async (target: string, request: object) => {
    const { status, body } = await send(baseUrl, {
      method: 'POST',
      target,
      headers: [
        anySender(),
        ['authorization', `Bearer ${adminSecret}`],
        ['content-type', 'application/json'],
      ],
      body: encodeBody(JSON.stringify(request)),
    });
    const { key } = (parseJson(body) ?? {}) as { key?: string };
    if (key === undefined) throw new Error(`no key from ${target}: ${status} ${body}`);
    return key;
  };
  return {
    adminSecret,
    apiKey: await issue('/api/adaptors/keys', { integrator: 'fuzzer', ratePerMin: 1_000_000 }),
    executorKey: await issue('/api/agent/keys', { walletId: demo.owner.walletId, label: 'fuzzer' }),
  };
}
