import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { explainNodeError } from '../io.ts';

/** An HTTP/2 connection to the url exists, and its server speaks the node's gRPC API. */
export interface Handshake {
  /** Median of three HTTP/2 pings, in milliseconds. */
  roundTripMs: number;
}

export interface HandshakeOptions {
  /** Sent as `x-token`. */
  token?: string | undefined;
  /** Bound on the connection, the pings and the request together, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
}

type AnswerHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** The url does not lead to a usable node. The message says why, after the name of the node. */
export class HandshakeError extends Error {}

const probedPath = '/sui.rpc.v2.LedgerService/GetServiceInfo';
/** A gRPC message without content: a flag, and a length of zero. */
const emptyMessage = Buffer.alloc(5);
const pings = 3;

/**
 * Connects, and sends one request by plain HTTP/2, because a gRPC client hides which server answers in the place of a
 * node.
 * @throws HandshakeError
 */
export async function shakeHands(
  url: string,
  { token, timeoutMs = 10_000 }: HandshakeOptions,
): Promise<Handshake> {
  const session = connect(url);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  session.on('error', failed.reject);
  session.on('goaway', (code) => failed.reject(new Error(`Protocol error: GOAWAY with code ${code}`)));
  session.on('close', () => failed.reject(new Error('socket hang up')));
  const late = setTimeout(() => failed.reject(new Error('ETIMEDOUT')), timeoutMs);
  try {
    await Promise.race([once(session, 'connect'), failed.promise]);
    const headers = await Promise.race([request(session, token), failed.promise]);
    const refusal = explainAnswer(headers);
    if (refusal !== undefined) throw new HandshakeError(refusal);
    const times: number[] = [];
    for (let count = 0; count < pings; count++) {
      times.push(await Promise.race([ping(session), failed.promise]));
    }
    return { roundTripMs: median(times) };
  } catch (error) {
    if (error instanceof HandshakeError) throw error;
    throw new HandshakeError(`does not answer: ${explainFailure(url, error)}`, { cause: error });
  } finally {
    clearTimeout(late);
    session.destroy();
  }
}

/** Returns the headers of the response, with its trailers. */
function request(session: ClientHttp2Session, token: string | undefined): Promise<AnswerHeaders> {
  const { promise, resolve, reject } = Promise.withResolvers<AnswerHeaders>();
  const stream = session.request({
    ':method': 'POST',
    ':path': probedPath,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(token !== undefined && { 'x-token': token }),
  });
  let answer: AnswerHeaders = {};
  stream.on('response', (headers) => {
    answer = headers;
  });
  stream.on('trailers', (trailers) => {
    answer = { ...answer, ...trailers };
  });
  // The stream closes after an error.
  stream.on('error', () => undefined);
  stream.on('close', () => (answer[':status'] === undefined ? reject(closedEarly()) : resolve(answer)));
  stream.resume();
  stream.end(emptyMessage);
  return promise;
}

const closedEarly = () =>
  Object.assign(new Error('closed without an answer'), { code: 'ERR_HTTP2_STREAM_ERROR' });

function ping(session: ClientHttp2Session): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  session.ping((error, durationMs) => (error ? reject(error) : resolve(durationMs)));
  return promise;
}

/** Codes of gRPC in the header `grpc-status`. */
const unimplemented = 12;
const refusedCallers: Readonly<Record<number, string>> = { 7: 'PERMISSION_DENIED', 16: 'UNAUTHENTICATED' };
const withToken = 'If the provider gave you a token, set SUI_RPC_TOKEN, and SUI_RPC_URL to this node';

/** Returns why a response is not a node's, or undefined. */
function explainAnswer(headers: AnswerHeaders): string | undefined {
  const { ':status': status, 'content-type': type = '', 'grpc-status': code } = headers;
  if (status === 401 || status === 403) return `answers HTTP ${status}: it refuses this caller. ${withToken}`;
  if (status === 429) return 'answers HTTP 429: its rate limit is reached. Wait, and try again';
  if (status === 404) return 'answers HTTP 404: it serves no gRPC there';
  if (/^text\/html/.test(type)) return `answers HTTP ${status} with a web page: it does not speak gRPC`;
  if (status !== 200) return `answers HTTP ${status}: it does not speak gRPC`;
  if (!/^application\/grpc(\+proto)?(;|$)/.test(type)) {
    return `answers with the content type ${JSON.stringify(type.slice(0, 80))}: it does not speak gRPC`;
  }
  if (Number(code) === unimplemented) return 'speaks gRPC, but not sui.rpc.v2: it is not a full node of Sui';
  const refused = refusedCallers[Number(code)];
  return refused && `answers ${refused}: it refuses this caller. ${withToken}`;
}

/** Explains an error of the connection. A server without HTTP/2, or with TLS behind `http:`, ends it in several ways. */
function explainFailure(url: string, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!/^ERR_HTTP2|^HPE_/.test(code)) return explainNodeError(`${code} ${message}`);
  return url.startsWith('http:') ? 'it does not speak gRPC without TLS' : 'it does not speak gRPC';
}

/** Returns the middle value, the lower one of two. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
