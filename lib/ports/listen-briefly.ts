import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenOn } from '@adaptor-marketplace/process';

/** Checks that a server can listen there now. @throws the system's error if it cannot */
export async function listenBriefly(host: string, port: number): Promise<void> {
  const probe = createServer();
  await listenOn(probe, port, host);
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}
