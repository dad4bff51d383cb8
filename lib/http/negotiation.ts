import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { problem } from '../errors/index.ts';

/** @param mediaTypes types of the response, or ranges such as `image/*`, one of whose types it has */
export function accepts(req: IncomingMessage, ...mediaTypes: string[]): boolean {
  const header = req.headers.accept;
  if (header === undefined || header === '*/*' || header === mediaTypes[0]) return true;
  const negotiator = new Negotiator(req);
  if (negotiator.mediaTypes(mediaTypes).length > 0) return true;
  const ranges = mediaTypes.filter((type) => type.endsWith('/*')).map(readMainType);
  return negotiator.mediaTypes().some((type) => ranges.includes('*') || ranges.includes(readMainType(type)));
}

const readMainType = (type: string): string => type.slice(0, type.indexOf('/'));

/** @throws ProblemError 406 */
export function requireAccepts(req: IncomingMessage, ...mediaTypes: string[]): void {
  if (accepts(req, ...mediaTypes)) return;
  throw problem(
    'not_acceptable',
    `This resource comes as ${mediaTypes.join(' or ')}, which the accept header refuses.`,
  );
}

/** Returns the type that the caller prefers; the first of several that it likes equally, undefined if it refuses all. */
const choose = (req: IncomingMessage, ...mediaTypes: string[]): string | undefined =>
  new Negotiator(req).mediaTypes(mediaTypes)[0];

/** `true` for a browser, and for a program that accepts anything: a page wins a tie with JSON. */
export const prefersPage = (req: IncomingMessage): boolean =>
  choose(req, 'text/html', 'application/json') === 'text/html';

/** `true` for a browser, `false` for a program that accepts anything: JSON wins a tie with a page. */
export const prefersHtml = (req: IncomingMessage): boolean =>
  choose(req, 'application/json', 'text/html') === 'text/html';

/** `true` for a model or its tool that asks for Markdown, `false` for a program that accepts anything. */
export const prefersMarkdown = (req: IncomingMessage): boolean =>
  choose(req, 'text/html', 'text/markdown') === 'text/markdown';

const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

const preference: string[] = [...encodings];

/** Signature with `preferred`, which decides between equal weights. The published types do not have it yet. */
interface PreferredEncodings {
  encodings(available: string[], options: { preferred: string[] }): string[];
}

/** Chosen encodings by header, cached because callers send few different headers. */
const chosen = new Map<string, Encoding | undefined>();
const chosenMax = 500;

/** Returns the best encoding that the caller accepts, or undefined if it accepts none, not even plain bytes. */
export function chooseEncoding(req: IncomingMessage): Encoding | undefined {
  const header = req.headers['accept-encoding'];
  if (header === undefined) return 'identity';
  if (typeof header !== 'string' || header.length > 256) return 'identity';
  if (chosen.has(header)) return chosen.get(header);
  const negotiator: PreferredEncodings = new Negotiator(req);
  const [best] = negotiator.encodings(preference, { preferred: preference });
  const encoding = encodings.find((name) => name === best);
  if (chosen.size >= chosenMax) chosen.clear();
  chosen.set(header, encoding);
  return encoding;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/** Minimum bytes to compress. A smaller body fits into one packet anyway. */
const compressedBytesMin = 1_000;

/** Compresses a body. `quality`: for bytes that are sent many times. `speed`: for bytes that are sent once. */
export async function encode(body: Buffer, encoding: Encoding, aim: 'quality' | 'speed'): Promise<Buffer> {
  if (encoding === 'identity' || body.byteLength < compressedBytesMin) return body;
  if (encoding === 'gzip') return await compressGzip(body, { level: aim === 'quality' ? 9 : 4 });
  return await compressBrotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: aim === 'quality' ? 7 : 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
    },
  });
}
