import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** One request of the fuzzer. The target is sent as it is, so it may be malformed. */
export interface FuzzRequest {
  method: string;
  /** Path and query, in characters that a request line may carry. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** In base64, as bodies need not be text. Absent: no body. */
  body?: string;
}

export interface FuzzResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** `true` if the fuzzer closed a stream that has no end. */
  cut: boolean;
}

/** Time after which a response counts as none, in milliseconds. A busy machine does not reach it with work. */
export const patienceMs = 60_000;
/** Time for which a stream is read, in milliseconds. */
const streamMs = 100;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Encodes a text as the body of a request. Half of a surrogate pair becomes bytes that are not UTF-8. */
export const encodeBody = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** @throws Error if there is no complete response within `patienceMs` */
export async function send(baseUrl: string, fuzzed: FuzzRequest): Promise<FuzzResponse> {
  const { hostname, port } = new URL(baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse>();
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of fuzzed.headers) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  const body = fuzzed.body === undefined ? undefined : Buffer.from(fuzzed.body, 'base64');
  if (body) headers['content-length'] ??= String(body.byteLength);
  const sent = request({ hostname, port, agent, method: fuzzed.method, path: fuzzed.target, headers });
  const late = setTimeout(() => sent.destroy(new Error(`no response within ${patienceMs} ms`)), patienceMs);
  sent.once('error', reject);
  sent.once('response', (answer) => {
    const chunks: Buffer[] = [];
    const finish = (cut: boolean) =>
      resolve({
        status: answer.statusCode!,
        headers: answer.headers,
        body: decode(Buffer.concat(chunks), answer.headers['content-encoding']),
        cut,
      });
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.once('end', () => {
      try {
        finish(false);
      } catch (error) {
        reject(error);
      }
    });
    answer.once('error', reject);
    if (!/event-stream|ndjson/.test(answer.headers['content-type'] ?? '')) return;
    const cutting = setTimeout(() => {
      finish(true);
      sent.destroy();
    }, streamMs);
    answer.once('close', () => clearTimeout(cutting));
  });
  sent.end(body);
  try {
    return await promise;
  } catch (error) {
    // The service may have closed an idle connection meanwhile. What fails on a new one is a fault.
    if (sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
      return await send(baseUrl, fuzzed);
    throw new Error(`no response: ${String(error)}`);
  } finally {
    clearTimeout(late);
  }
}

function decode(bytes: Buffer, encoding = 'identity'): string {
  if (bytes.byteLength === 0 || encoding === 'identity') return bytes.toString('utf8');
  return (encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString('utf8');
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command line that repeats a request. */
export function renderCurl(baseUrl: string, { method, target, headers, body }: FuzzRequest): string {
  const parts = ['curl -sS -i --path-as-is --globoff', method === 'HEAD' ? '-I' : `-X ${method}`];
  for (const [name, value] of headers) parts.push('-H', quote(`${name}: ${value}`));
  if (body !== undefined) parts.push('--data-binary @-');
  parts.push(quote(`${baseUrl}${target}`));
  return body === undefined ? parts.join(' ') : `echo ${body} | base64 -d | ${parts.join(' ')}`;
}
