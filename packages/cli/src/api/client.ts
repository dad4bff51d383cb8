import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { z } from 'zod';
import { Refusal } from '../io.ts';

const problemSchema = z.object({
  title: z.string(),
  status: z.int(),
  code: z.string().default('unknown'),
  detail: z.string().optional(),
  requestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** A refusal in the marketplace's own words (RFC 9457). */
export class ApiProblem extends Error {
  readonly problem: z.infer<typeof problemSchema>;
  /** Seconds, where the marketplace said so. */
  readonly retryAfter: string | undefined;

  constructor(problem: z.infer<typeof problemSchema>, retryAfter: string | undefined) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** A marketplace's HTTP API. Calls throw ApiProblem for what it refuses, and Refusal where it gives no answer. */
export interface Api {
  url: string;
  get(path: string, query?: Record<string, string | undefined>): Promise<Answer>;
  /** Members that are undefined are left out. */
  post(path: string, body: Record<string, unknown>): Promise<Answer>;
}

export interface Answer {
  body: unknown;
  /** The last checkpoint that the answer knows of, where the marketplace says so. */
  indexedCheckpoint: string | undefined;
}

/** A draft is introspected, looked up, stored and read back before it is answered. */
const timeoutMs = 180_000;
const bytesMax = 64 * 1024 * 1024;

/** @param url base of all paths, without a trailing slash */
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
    if (answer.json === undefined) throw new Refusal(`${url} answers ${path} without JSON. ${remedy}`);
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
  /** Undefined where the body is no JSON. */
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
    if (bytes > bytesMax) throw new Refusal(`The answer is longer than ${bytesMax} bytes; ask for less.`);
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
  if (!problem.success) return new Refusal(`${url} answers with status ${status}. ${remedy}`);
  const retryAfter = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  return new ApiProblem(problem.data, retryAfter);
}
