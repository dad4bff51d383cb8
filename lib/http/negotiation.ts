import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { problem } from '../errors/index.ts';

/** Whether the caller takes one of these media types at all. */
export function accepts(req: IncomingMessage, ...mediaTypes: string[]): boolean {
  const header = req.headers.accept;
  if (header === undefined || header === '*/*' || header === mediaTypes[0]) return true;
  return new Negotiator(req).mediaTypes(mediaTypes).length > 0;
}

/** @throws ProblemError 406 */
export function requireAccepts(req: IncomingMessage, ...mediaTypes: string[]): void {
  if (accepts(req, ...mediaTypes)) return;
  throw problem(
    'not_acceptable',
    `This resource comes as ${mediaTypes.join(' or ')}, which the accept header refuses.`,
  );
}

/** Whether to send a page rather than JSON: to a browser, and to a caller that takes anything. */
export function prefersPage(req: IncomingMessage): boolean {
  const [best] = new Negotiator(req).mediaTypes(['text/html', 'application/json']);
  return best === 'text/html';
}

/** A browser that shows a page, as against a program that takes anything. */
export function prefersHtml(req: IncomingMessage): boolean {
  const [best] = new Negotiator(req).mediaTypes(['application/json', 'text/html']);
  return best === 'text/html';
}

const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

const preference: string[] = [...encodings];

/** Between encodings of equal weight, ours decides; the type packages lag behind the library. */
interface Preferring {
  encodings(available: string[], options: { preferred: string[] }): string[];
}

/** Callers send few different headers, so what they mean is worked out once for each. */
const chosen = new Map<string, Encoding | undefined>();
const chosenMax = 500;

/** The best encoding that the caller takes; undefined when it takes none, not even plain bytes. */
export function chooseEncoding(req: IncomingMessage): Encoding | undefined {
  const header = req.headers['accept-encoding'];
  if (header === undefined) return 'identity';
  if (typeof header !== 'string' || header.length > 256) return 'identity';
  if (chosen.has(header)) return chosen.get(header);
  const negotiator: Preferring = new Negotiator(req);
  const [best] = negotiator.encodings(preference, { preferred: preference });
  const encoding = encodings.find((name) => name === best);
  if (chosen.size >= chosenMax) chosen.clear();
  chosen.set(header, encoding);
  return encoding;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/** Below this many bytes a packet is a packet, compressed or not. */
const compressedBytesMin = 1_000;

/** `quality` for bytes that are sent many times; `speed` for those sent once. */
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
