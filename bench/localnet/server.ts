import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `npm run localnet` in a process of its own, until the stack unwinds. */
export async function startServer(
  flags: string[],
  stack: AsyncDisposableStack,
): Promise<{ url: string; process: ChildProcess }> {
  const main = new URL('../../packages/localnet/src/command/main.ts', import.meta.url).pathname;
  const tellCpu = new URL('tell-cpu.ts', import.meta.url).href;
  const ports = ['--port', '0', '--faucet-port', '0'];
  const child = spawn(process.execPath, ['--import', tellCpu, main, ...ports, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  for await (const line of createInterface(child.stdout!)) {
    const url = /gRPC and grpc-web\s+(http\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout!.resume();
    return { url, process: child };
  }
  throw new Error('the local network ended before it served');
}

/** A folder that goes when the stack unwinds. */
export async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-localnet-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Processor time that a server has used, in seconds. */
export async function cpuSeconds(server: ChildProcess): Promise<number> {
  const told = once(server, 'message');
  server.send({});
  const [{ cpuMicros }] = (await told) as [{ cpuMicros: number }];
  return cpuMicros / 1e6;
}
