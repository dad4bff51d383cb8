import { messageOf } from '../internal/errors.ts';
import type { Options } from './options.ts';

/** Why the network could not start, and the flag that fixes it, if there is one. */
export function startFailure(error: unknown, options: Pick<Options, 'host' | 'port' | 'faucetPort'>): string {
  const { code, syscall, port }: { code?: unknown; syscall?: unknown; port?: unknown } = Object(error);
  if (syscall !== 'listen') return messageOf(error);
  const flag = port === options.faucetPort ? '--faucet-port' : '--port';
  if (code === 'EADDRINUSE') return `Port ${port} is in use: ${flag} takes another one, 0 any free one.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}: ${flag} takes another one.`;
  if (code === 'EADDRNOTAVAIL') return `--host: ${options.host} is not an address of this machine.`;
  return messageOf(error);
}
