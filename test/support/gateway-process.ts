import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface GatewayProcess {
  url: string;
  /** Peak resident memory of the process so far in MB, as the kernel has counted it. */
  peakMb(): Promise<number>;
  close(): Promise<void>;
}

/** A gateway for testnet in a process of its own, on a migrated database. */
export async function startGatewayProcess(databaseUrl: string): Promise<GatewayProcess> {
  const child = fork(fileURLToPath(new URL('gateway-child.ts', import.meta.url)), [databaseUrl]);
  const exited = once(child, 'exit');
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, 'message'),
      exited.then(() => Promise.reject(new Error('the gateway process ended'))),
    ]);
    return message;
  };
  const url = String(await answer());
  return {
    url,
    async peakMb() {
      const peak = answer();
      child.send('peak');
      return Number(await peak) / 1024;
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
