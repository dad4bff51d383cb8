import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Tries `listen` on one port after another, until it resolves. Rejects if no port works. */
export type Bind = (listen: (port: number) => Promise<unknown>) => Promise<unknown>;

/** The port of a server, or a function that tries ports. Port 0 takes a free one. */
export type Port = number | Bind;

/** Formats a host for a URL: an IPv6 address gets brackets. */
export const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Makes a server listen, and resolves with its address. Rejects with the system's error if it cannot. */
export async function listenOn(server: Server, port: Port, host: string): Promise<AddressInfo> {
  const listen = async (number: number) => {
    server.listen(number, host);
    await once(server, 'listening');
  };
  await (typeof port === 'number' ? listen(port) : port(listen));
  return server.address() as AddressInfo;
}
