import { formatHost } from '@adaptor-marketplace/process';
import type { MethodInfo } from '@protobuf-ts/runtime-rpc';
import { Call, type CallOptions } from './call.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { HeldBytes } from './held-bytes.ts';
import { type ListenOptions, listen } from './listen.ts';
import type { CallContext, Handler, ServiceBinding } from './service.ts';
import { GrpcError, GrpcStatusCode } from './status.ts';
import { Turns } from './turns.ts';
import { wireOf } from './wire.ts';

export interface ServeOptions
  extends ListenOptions,
    Partial<Omit<CallOptions, 'incoming' | 'outgoing' | 'turns' | 'headers'>> {
  services: ServiceBinding[];
  /** Headers of responses, asked for when they begin: the same object while they are the same. */
  headers?: (call: CallContext) => Record<string, string>;
  /** Maximum number of bytes of requests that are still coming, and of answers that nobody takes, each over all calls. */
  maxHeldBytes?: number;
  /** Stands between a call and its handler, by the method's name (`GetObject`). */
  intercept?: (method: string, handler: Handler) => Handler;
  /** Sees requests that are not gRPC first; true means it answers. */
  http?: (request: HttpRequest, response: HttpResponse) => boolean;
}

export interface GrpcServer {
  url: string;
  port: number;
  /** Sends GOAWAY on every HTTP/2 connection. */
  goAway(): void;
  close(): Promise<void>;
}

const defaults = {
  maxRequestBytes: 4 * 1024 * 1024,
  maxHeldBytes: 256 * 1024 * 1024,
  stallMs: 30_000,
};

/** How long calls in flight may take to end when the server closes. */
const closeGraceMs = 2_000;

interface Route {
  method: MethodInfo;
  handler: Handler | undefined;
}

/**
 * Serves generated services over native gRPC (HTTP/2 without TLS) and grpc-web, binary and text (HTTP/1.1
 * and HTTP/2), all on one port and open to every origin.
 *
 * @example
 * const server = await serveGrpc({
 *   host: '127.0.0.1',
 *   port: 0,
 *   services: [bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
 *     getServiceInfo: async () => ({ chain: 'localnet' }),
 *   })],
 * });
 * const client = new SuiGrpcClient({ network: 'localnet', baseUrl: server.url });
 */
export async function serveGrpc(options: ServeOptions): Promise<GrpcServer> {
  const routes = routesOf(options);
  const { maxHeldBytes = defaults.maxHeldBytes } = options;
  const callOptions: CallOptions = {
    incoming: new HeldBytes(maxHeldBytes, 'requests that are still coming'),
    outgoing: new HeldBytes(maxHeldBytes, 'answers that nobody takes'),
    turns: new Turns(),
    maxRequestBytes: options.maxRequestBytes ?? defaults.maxRequestBytes,
    stallMs: options.stallMs ?? defaults.stallMs,
    headers: responseHeaders(options.headers),
    translateError: options.translateError ?? ((error) => error),
    onInternalError: options.onInternalError ?? (() => undefined),
  };
  const calls = new Set<Call>();

  const listener = await listen(options, (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, preflightHeaders(request));
      response.end();
      return;
    }
    const wire = wireOf(request.headers['content-type'], request.httpVersionMajor);
    if (!wire || request.method !== 'POST') {
      if (!options.http?.(request, response)) refuse(response);
      return;
    }
    const route = routes.get(request.url?.split('?')[0] ?? '');
    const call = new Call(request, response, wire, callOptions);
    calls.add(call);
    call.run(route?.method, route?.handler).finally(() => calls.delete(call));
  });

  return {
    url: `http://${formatHost(listener.host)}:${listener.port}`,
    port: listener.port,
    goAway: listener.goAway,
    async close() {
      const closed = listener.close(closeGraceMs);
      for (const call of calls) call.fail(shuttingDown());
      await closed;
    },
  };
}

function routesOf({ services, intercept = (_method, handler) => handler }: ServeOptions): Map<string, Route> {
  const routes = new Map<string, Route>();
  for (const { service, methods } of services) {
    for (const method of service.methods) {
      const handler = methods[method.localName];
      routes.set(`/${service.typeName}/${method.name}`, {
        method,
        handler: handler && intercept(method.name, handler),
      });
    }
  }
  return routes;
}

/** The headers of responses by their content type, made when they change. */
function responseHeaders(
  current: (call: CallContext) => Record<string, string> = () => corsHeaders,
): CallOptions['headers'] {
  let known: Record<string, string> | undefined;
  const byType = new Map<string, Record<string, string>>();
  return (contentType, call) => {
    const own = current(call);
    if (own !== known) byType.clear();
    known = own;
    let headers = byType.get(contentType);
    if (!headers) {
      headers = { ...corsHeaders, ...own, 'content-type': contentType };
      byType.set(contentType, headers);
    }
    return headers;
  };
}

function refuse(response: HttpResponse): void {
  response.writeHead(415, { ...corsHeaders, 'content-type': 'text/plain; charset=utf-8' });
  response.end('This port speaks gRPC over HTTP/2 and grpc-web: POST /<service>/<method>.\n');
}

const shuttingDown = () => new GrpcError(GrpcStatusCode.UNAVAILABLE, 'the network is shutting down');
