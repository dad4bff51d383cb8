import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Tries `listen` on one port after another, until it resolves. Rejects where no port will do. */
export type Bind = (listen: (port: number) => Promise<unknown>) => Promise<unknown>;

/** Where a server listens: a port, of which 0 takes a free one, or what picks it. */
export type Port = number | Bind;

/** A host as URLs have it: an IPv6 address in brackets. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Makes a server listen and resolves with its address. Rejects with the system's error where it cannot. */
export async function listenOn(server: Server, port: Port, host: string): Promise<AddressInfo> {
  const listen = async (number: number) => {
    server.listen(number, host);
    await once(server, 'listening');
  };
  await (typeof port === 'number' ? listen(port) : port(listen));
  return server.address() as AddressInfo;
}
