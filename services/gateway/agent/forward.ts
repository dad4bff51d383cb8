import { once } from 'node:events';
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { internalAgentHeader } from '../../../lib/actions/tools-api.ts';
import { callerHeader } from '../../../lib/agent/shapes.ts';
import { findSessionCookie, sessionCookieName } from '../../../lib/credentials/token.ts';
import { type ProblemCode, type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { readBytes } from '../../../lib/http/parse.ts';
import type { Operation, Route, RouteDescription, Security } from '../../../lib/http/route.ts';
import { startServerSpan } from '../../../lib/http/server-span.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { startClientSpan } from '../../../lib/tracing/client-span.ts';
import { getTracing } from '../../../lib/tracing/tracing.ts';
import type { CredentialGuard, ProofKind } from '../access/attempts.ts';
import type { IdentifyCaller } from '../access/caller.ts';
import { isFromOwnPage } from '../access/own-page.ts';

/** Headers that pass to the caller with the response of the agent service. */
const answerHeaders = [
  'cache-control',
  'content-length',
  'content-type',
  'retry-after',
  'set-cookie',
  'www-authenticate',
  'x-accel-buffering',
  'x-run-attempt',
  'x-run-id',
] as const;

interface ForwardOptions {
  log: Logger;
  guard: CredentialGuard;
  /** `true` if a request may have the credential of internal services. It gives access to every wallet. */
  mayBeInternal(req: IncomingMessage): boolean;
  identifyCaller: IdentifyCaller;
}

/** Maximum bytes of a body: the highest limit of any path of the agent service. */
const bodyBytesMax = 64 * 1024;

/** Time in which the agent service must begin its response. A stream then lasts as long as its run. */
const beginMs = 30_000;

/** A request to the agent service. */
interface Question {
  method: string | undefined;
  /** Path and query. */
  target: string;
  body?: Buffer | undefined;
}

/** The agent service behind the gateway's address. */
export interface AgentService {
  forward: Forward;
  /** Reads a path with the caller's credential, until the caller disconnects. @throws ProblemError as `forward` does */
  read(exchange: Exchange, path: string): Promise<IncomingMessage>;
}

/**
 * Forwards requests to the agent service, and streams its responses. If a caller disconnects, its run continues.
 * @throws ProblemError 503 without an agent service, 502 if it does not answer, 413 and 429 beyond the limits
 */
export function openAgentService(
  agentUrl: string | undefined,
  { log, guard, mayBeInternal, identifyCaller }: ForwardOptions,
): AgentService {
  if (agentUrl === undefined) {
    const detail = 'This host runs no actions. The operator sets AGENT_SECRET_KEY, or AGENT_URL.';
    const refuse = () => Promise.reject(problem('agent_not_configured', detail));
    return { forward: refuse, read: refuse };
  }
  const base = new URL(agentUrl);
  const isTls = base.protocol === 'https:';
  // Each request has a connection of its own. The agent service may close an idle one just as it is used again, and a
  // POST that fails like that cannot be retried safely.
  const agent = isTls ? new TlsAgent({ keepAlive: false }) : new Agent({ keepAlive: false });
  const send = isTls ? tlsRequest : request;

  /** Forwards a request. Returns undefined if the caller has disconnected. */
  async function ask(
    exchange: Exchange,
    proof: ProofKind,
    question: Question,
  ): Promise<IncomingMessage | undefined> {
    const { req, res } = exchange;
    const internal = mayBeInternal(req) ? req.headers[internalAgentHeader] : undefined;
    const settle = await guard(exchange, internal === undefined ? proof : 'internal');
    let answer: IncomingMessage | undefined;
    try {
      if (!res.destroyed) answer = await sendQuestion(exchange, internal, question);
      return answer;
    } finally {
      // Other requests with the same token may wait for this.
      settle(answer?.statusCode);
    }
  }

  async function sendQuestion(
    exchange: Exchange,
    internal: string | string[] | undefined,
    { method, target, body }: Question,
  ): Promise<IncomingMessage | undefined> {
    const { req, res, requestId } = exchange;
    const session = isFromOwnPage(req) ? findSessionCookie(req.headers.cookie) : undefined;
    const caller = identifyCaller(exchange);
    const tracing = getTracing();
    const parent = tracing && startServerSpan(tracing, exchange).spanContext();
    const span = startClientSpan({ method: method ?? 'GET', url: base, parent });
    const headers = {
      ...pickHeaders(req.headers, body ? ['authorization', 'content-type'] : ['authorization']),
      // The agent service gets only its own cookie, from our own pages, and never a session of the operator.
      ...(session !== undefined && { cookie: `${sessionCookieName}=${session}` }),
      ...(body && { 'content-length': body.byteLength }),
      ...(internal !== undefined && { [internalAgentHeader]: internal }),
      ...(caller !== undefined && { [callerHeader]: caller }),
      'x-request-id': requestId,
      ...span?.headers,
    };
    // The path is not parsed as a URL: dots and backslashes would then resolve to a path that was not checked here.
    const path = `${base.pathname.replace(/\/$/, '')}${target}`;
    const outgoing = send(base, { method, path, headers, agent });
    // A connection can break during the response too. Without a listener, that would end the process.
    outgoing.on('error', () => undefined);
    res.once('close', () => outgoing.destroy());
    outgoing.end(body);
    const late = setTimeout(() => outgoing.destroy(new Error('it took too long')), beginMs);
    try {
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      answer.once('close', () => span?.end({ status: answer.statusCode ?? 0 }));
      return answer;
    } catch (error) {
      span?.end({ error: res.destroyed ? 'cancelled' : 'unreachable' });
      if (res.destroyed) return undefined;
      log.warn({ requestId, reason: getErrorMessage(error) }, 'the agent service did not answer');
      throw unavailable();
    } finally {
      clearTimeout(late);
    }
  }

  return {
    async forward(exchange, proof) {
      const { req } = exchange;
      const { method } = req;
      // The agent service reads only these bodies. The whole body is sent before a refusal can arrive.
      const body = method === 'POST' || method === 'PATCH' ? await readBytes(req, bodyBytesMax) : undefined;
      const answer = await ask(exchange, proof, { method, target: req.url ?? '/', body });
      if (answer) pipeResponse(answer, exchange);
    },
    async read(exchange, path) {
      const answer = await ask(exchange, 'credential', { method: 'GET', target: path });
      if (answer) return answer;
      throw unavailable();
    },
  };
}

function pipeResponse(answer: IncomingMessage, { res }: Exchange): void {
  res.writeHead(answer.statusCode ?? 502, pickHeaders(answer.headers, answerHeaders));
  res.flushHeaders();
  answer.pipe(res);
  // If the agent service aborts the response, abort it here, so that no caller takes a partial one for a complete one.
  answer.once('close', () => {
    if (!answer.complete) res.destroy();
  });
}

function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

function unavailable(): ProblemError {
  const detail = 'The agent service did not answer. Try again, with the same requestId if it was a run.';
  return problem('agent_unavailable', detail, { headers: { 'retry-after': '2' } });
}

/** Forwards a request to the agent service, which checks its `proof`, and the response to the caller. */
type Forward = (exchange: Exchange, proof: ProofKind) => Promise<void>;

export type AgentDependencies = Pick<AgentService, 'forward'>;

/** An executor key, a session or the admin secret, as each operation says; a session may come as a cookie. */
export const byBearerOrCookie: Security = [{ bearer: [] }, { agentSessionCookie: [] }];
export const byOperator: Security = [{ bearer: [] }];

interface ForwardedRoute extends Omit<RouteDescription, 'mediaType' | 'operation'> {
  mediaType?: string;
  operation: Omit<Operation, 'tag'>;
  /** Proof that the agent service checks. Default: a credential in the headers. */
  proof?: ProofKind;
  check?: (exchange: Exchange) => void;
}

/**
 * Returns a route of the gateway that the agent service answers. Its schemas are for the API description. The agent
 * service checks the request with the same schemas.
 */
export function createForwardedRoute({
  proof = 'credential',
  check,
  mediaType = 'application/json',
  operation,
  ...description
}: ForwardedRoute): Route<AgentDependencies> {
  const refusals: ProblemCode[] = [
    ...(description.security ? (['invalid_session'] as const) : []),
    ...(operation.refusals ?? []),
    ...unavailableProblems,
  ];
  return {
    ...description,
    mediaType,
    operation: { ...operation, tag: 'agent', refusals },
    async answer(exchange, _parameters, { forward }) {
      check?.(exchange);
      await forward(exchange, proof);
    },
  };
}

const unavailableProblems = ['agent_unavailable', 'agent_not_configured', 'database_unavailable'] as const;
