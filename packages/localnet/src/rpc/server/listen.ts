import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { listenOn, type Port } from '@adaptor-marketplace/process';
import { Http2Exchange, type HttpRequest, type HttpResponse } from './exchange.ts';

/** No HTTP/1 method begins so, and every HTTP/2 connection does (`PRI * HTTP/2.0`). */
const http2Preface = Buffer.from('PRI');
const defaultHeadersTimeoutMs = 10_000;

export interface ListenOptions {
  host: string;
  port: Port;
  /**
   * A connection that by then has not said which HTTP it speaks is dropped, and at the latest after twice that
   * an HTTP/1 request whose headers are not whole. Default: 10 s.
   */
  headersTimeoutMs?: number;
}

interface Listener {
  host: string;
  port: number;
  /** Sends GOAWAY on every HTTP/2 connection: its calls may end, new ones need another connection. */
  goAway(): void;
  /** Stops accepting, lets open exchanges end for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Accepts HTTP/1.1 and HTTP/2 without TLS on one port. */
export async function listen(
  options: ListenOptions,
  handle: (request: HttpRequest, response: HttpResponse) => void,
): Promise<Listener> {
  const { headersTimeoutMs = defaultHeadersTimeoutMs } = options;
  const sessions = new Set<http2.ServerHttp2Session>();
  const http1Sockets = new Set<net.Socket>();
  const busySockets = new Set<net.Socket>();
  let closing = false;
  const timeouts = {
    keepAliveTimeout: 65_000,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersTimeoutMs,
  };
  const http1Server = http.createServer(timeouts, (request, response) => {
    busySockets.add(request.socket);
    response.on('close', () => {
      busySockets.delete(request.socket);
      if (closing) request.socket.destroy();
    });
    handle(request, response);
  });
  // It never listens by itself, and looks for slow clients only from this event on.
  http1Server.emit('listening');
  const http2Server = http2.createServer({ settings: { maxConcurrentStreams: 1000 } });
  http2Server.on('stream', (stream, headers) => {
    const exchange = new Http2Exchange(stream, headers);
    handle(exchange, exchange);
  });
  http2Server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  // A broken peer ends its own session; the server has nothing to add.
  http2Server.on('sessionError', () => undefined);

  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    sniff(socket, headersTimeoutMs, (isHttp2) => {
      (isHttp2 ? http2Server : http1Server).emit('connection', socket);
      // An HTTP/2 session takes what was read back out of the paused socket by itself.
      if (isHttp2) return;
      socket.resume();
      http1Sockets.add(socket);
      socket.on('close', () => http1Sockets.delete(socket));
    });
  });
  const address = await listenOn(server, options.port, options.host);

  return {
    host: address.address,
    port: address.port,
    goAway() {
      for (const session of sessions) session.close();
    },
    async close(graceMs) {
      const closed = once(server, 'close');
      server.close();
      http1Server.close();
      closing = true;
      for (const session of sessions) session.close();
      for (const socket of http1Sockets) if (!busySockets.has(socket)) socket.destroy();
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

function sniff(socket: net.Socket, timeoutMs: number, route: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const late = setTimeout(() => socket.destroy(), timeoutMs);
  socket.on('close', () => clearTimeout(late));
  const onData = (chunk: Buffer) => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    if (seen.length < http2Preface.length) return;
    clearTimeout(late);
    socket.off('data', onData);
    socket.pause();
    socket.unshift(seen);
    route(seen.subarray(0, http2Preface.length).equals(http2Preface));
  };
  socket.on('data', onData);
}
