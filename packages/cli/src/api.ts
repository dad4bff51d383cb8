import { messageOf } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { Refusal } from './io.ts';

const problemSchema = z.object({
  title: z.string(),
  status: z.int(),
  code: z.string().default('unknown'),
  detail: z.string().optional(),
  requestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** An error response of the marketplace (RFC 9457). */
export class ApiProblem extends Error {
  readonly problem: z.infer<typeof problemSchema>;
  /** Seconds, from the Retry-After header. */
  readonly retryAfter: string | undefined;

  constructor(problem: z.infer<typeof problemSchema>, retryAfter: string | undefined) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** A marketplace's HTTP API. Calls throw ApiProblem for an error response, and Refusal without a valid response. */
export interface Api {
  url: string;
  get(path: string, query?: Record<string, string | undefined>): Promise<Answer>;
  /** Undefined members are omitted. */
  post(path: string, body: Record<string, unknown>): Promise<Answer>;
}

interface Answer {
  body: unknown;
  /** The last indexed checkpoint, from the header X-Indexed-Checkpoint. */
  indexedCheckpoint: string | undefined;
}

/** Generous: a draft is introspected, stored and read back before the response. */
const timeoutMs = 180_000;
const bytesMax = 64 * 1024 * 1024;

/** @param url base url without a trailing slash */
export function createApi(url: string, apiKey: string | undefined): Api {
  async function call(method: string, path: string, body?: string): Promise<Answer> {
    const answer = await fetched(url, path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!answer.ok) throw problemOf(url, answer);
    if (answer.json === undefined)
      throw new Refusal(`${url} returned a response without JSON for ${path}. ${remedy}`);
    return { body: answer.json, indexedCheckpoint: answer.headers.get('x-indexed-checkpoint') ?? undefined };
  }
  return {
    url,
    get(path, query = {}) {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
      return call('GET', search.size > 0 ? `${path}?${search}` : path);
    },
    post: (path, body) => call('POST', path, JSON.stringify(body)),
  };
}

const remedy =
  'Is it a marketplace? Start one with npm start, or name another with --url or MARKETPLACE_URL.';

interface Fetched {
  ok: boolean;
  status: number;
  headers: Headers;
  /** Undefined if the body is not JSON. */
  json: unknown;
}

async function fetched(url: string, path: string, init: RequestInit): Promise<Fetched> {
  try {
    const { ok, status, headers, body } = await fetch(url + path, init);
    const text = await textOf(body);
    return { ok, status, headers, json: jsonOf(text) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new Refusal(`${url} did not answer ${path} within ${timeoutMs / 1000} seconds. Try again.`);
    }
    const cause = error instanceof Error && error.cause ? error.cause : error;
    throw new Refusal(`${url} does not answer: ${messageOf(cause)}. ${remedy}`);
  }
}

async function textOf(body: Response['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Refusal(`The response exceeds ${bytesMax} bytes. Request less.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(url: string, { status, headers, json }: Fetched): Error {
  const problem = problemSchema.safeParse(json);
  if (!problem.success) return new Refusal(`${url} returned status ${status}. ${remedy}`);
  const retryAfter = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  return new ApiProblem(problem.data, retryAfter);
}

/**
 * Validates a response.
 * @throws Refusal if it does not match the schema
 */
export function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  throw new Refusal(
    `The marketplace returned an unexpected response (${path.join('.')}: ${message}). Check that it and this program have the same version.`,
  );
}

/** The part of a catalog entry that commands use. */
export const catalogEntry = z.object({
  serviceType: z.string(),
  packageId: z.string(),
  publisherVerified: z.boolean(),
  manifestHash: z.string(),
  manifestUri: z.string().optional(),
  version: z.int(),
  manifest: z.looseObject({ name: z.string(), category: z.string() }),
  usage: z.object({ actions: z.int(), uniqueVaults: z.int() }),
  reviews: z.object({ count: z.int(), avg: z.number().nullable() }),
});

/** The catalog's limit for a search text, in characters. */
export const searchTextMax = 200;

export const catalogAnswer = z.object({
  network: z.string(),
  adaptors: z.array(catalogEntry),
  nextCursor: z.string().optional(),
});

/** An error response as lines of text. */
export function problemLines({ problem, retryAfter }: ApiProblem): string[] {
  const { title, status, code, detail, errors = [], requestId } = problem;
  return [
    `${title} (${status} ${code})`,
    ...(detail && errors.length === 0 ? [`  ${detail}`] : []),
    ...errors.map(({ path, message }) => `  ${path}: ${message}`),
    ...(errors.length > 0 && detail && !errors.some(({ message }) => detail.includes(message))
      ? [`  ${detail}`]
      : []),
    ...(retryAfter ? [`  Try again in ${retryAfter} seconds.`] : []),
    ...(requestId && status >= 500 ? [`  Request id, for the operator: ${requestId}`] : []),
  ];
}
