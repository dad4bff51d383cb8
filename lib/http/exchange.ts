import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { problem } from '../errors/index.ts';
import { chooseEncoding, type Encoding, encode } from './negotiation.ts';

/** One request and its answer. */
export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** `performance.now()` at arrival. */
  startedAtMs: number;
  /** The route's template for logs and metrics, never the url: strangers choose that. */
  route: string;
}

/**
 * One step of a request's life; true when it has answered the request, or will, so that no later step sees it. A step
 * that has to wait returns a promise. Hot paths do not: a promise costs each request a turn of the event loop.
 */
export type Step = (exchange: Exchange) => boolean | Promise<boolean>;

/** Path and query of the request's url, which is relative to this server. */
export function splitUrl(url: string): { path: string; search: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

const wellFormed = /^[A-Za-z0-9._:-]{8,128}$/;

/** The caller's own request id where it is one that logs and headers can carry, else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
}

/** The query of the request's url, undecoded, without its question mark. */
export const searchOf = ({ req }: Pick<Exchange, 'req'>): string => splitUrl(req.url ?? '').search;

/** Begins an exchange. */
export function beginExchange(req: IncomingMessage, res: ServerResponse): Exchange {
  return { req, res, requestId: requestIdOf(req), startedAtMs: performance.now(), route: 'unmatched' };
}

/** One answer in one encoding, ready to be sent. */
export interface Representation {
  body: Buffer;
  /** Strong: another encoding of the same answer has another one. */
  etag: string;
  cacheControl: string;
  /** Names and values in turn, as `writeHead` takes them; all but those of the single request. */
  headers: readonly string[];
}

export interface Content {
  body: Buffer;
  contentType: string;
  cacheControl: string;
  /** Identifies the content; made a strong tag by the encoding. */
  tag: string;
  /** Request headers beside accept-encoding that decide which content is sent. */
  vary?: string;
  /** Names and values in turn. */
  headers?: readonly string[];
}

/** Short digest for tags: 96 bits, so that two contents do not share one. */
export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

export function etagOf(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

export async function represent(
  content: Content,
  encoding: Encoding,
  aim: 'quality' | 'speed',
): Promise<Representation> {
  const body = await encode(content.body, encoding, aim);
  const etag = etagOf(content.tag, encoding);
  const headers = [
    ['content-type', content.contentType],
    ['content-length', String(body.byteLength)],
    // Encoding is not worth it for small bodies, which then go plain.
    ...(body === content.body ? [] : [['content-encoding', encoding]]),
    ['etag', etag],
    ['cache-control', content.cacheControl],
    ['vary', content.vary ?? 'accept-encoding'],
  ];
  return {
    body,
    etag,
    cacheControl: content.cacheControl,
    headers: [...headers.flat(), ...(content.headers ?? [])],
  };
}

/** @throws ProblemError 406 when the caller refuses every encoding, plain bytes included */
export function requireEncoding(req: IncomingMessage): Encoding {
  const encoding = chooseEncoding(req);
  if (encoding) return encoding;
  throw problem(
    'not_acceptable',
    'The answer comes as br, gzip or identity; accept-encoding refuses all of them.',
  );
}

/** Whether the caller already holds this tag (RFC 9110 section 13.1.2: compared weakly). */
export function alreadyHeld(req: IncomingMessage, etag: string): boolean {
  const held = req.headers['if-none-match'];
  if (held === undefined) return false;
  if (held === etag || held.trim() === '*') return true;
  return held.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Writes the answer, or 304 without it, or its headers alone for HEAD. */
export function sendRepresentation(
  exchange: Exchange,
  answer: Representation,
  extra: readonly string[] = [],
): void {
  const { req, res } = exchange;
  if (alreadyHeld(req, answer.etag)) {
    sendNotModified(exchange, answer.etag, answer.cacheControl, extra);
    return;
  }
  res.writeHead(200, [...answer.headers, ...extra]);
  res.end(req.method === 'HEAD' ? undefined : answer.body);
}

/** A 304 says what keeps the caller's copy usable, and nothing of the content. */
export function sendNotModified(
  { res }: Exchange,
  etag: string,
  cacheControl: string,
  extra: readonly string[] = [],
): void {
  res.writeHead(304, ['etag', etag, 'cache-control', cacheControl, 'vary', 'accept-encoding', ...extra]);
  res.end();
}

/** Encodes and sends content that is not kept. */
export async function sendContent(
  exchange: Exchange,
  content: Content,
  extra?: readonly string[],
): Promise<void> {
  const encoding = requireEncoding(exchange.req);
  sendRepresentation(exchange, await represent(content, encoding, 'speed'), extra);
}

/** Sends a value as JSON under a tag of its bytes. */
export async function sendJson(exchange: Exchange, value: unknown, cacheControl = 'no-store'): Promise<void> {
  const body = Buffer.from(JSON.stringify(value));
  const contentType = 'application/json';
  await sendContent(exchange, { body, contentType, cacheControl, tag: digestOf(body) });
}

/** Sends JSON for one caller, of this moment: no cache may store it, so it has no tag, and is not encoded. */
export function sendPrivateJson({ req, res }: Exchange, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(200, {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.byteLength,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Answers 204. */
export function sendNothing({ res }: Exchange): void {
  res.writeHead(204, { 'cache-control': 'no-store' }).end();
}

/**
 * Serves content that does not change while the process runs: loaded and encoded at the first request, then cached.
 */
export function cached<Dependencies = void>(
  load: (dependencies: Dependencies) => Content | Promise<Content>,
) {
  let content: Promise<Content> | undefined;
  const representations = new Map<Encoding, Promise<Representation>>();

  return async (exchange: Exchange, dependencies: Dependencies): Promise<void> => {
    const encoding = requireEncoding(exchange.req);
    let representation = representations.get(encoding);
    if (!representation) {
      content ??= Promise.resolve(load(dependencies));
      representation = content.then((loaded) => represent(loaded, encoding, 'quality'));
      representations.set(encoding, representation);
    }
    sendRepresentation(exchange, await representation);
  };
}
