import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./after-process.ts', import.meta.url));

/**
 * Starts a helper that ends the server in `dir` soon after this process has ended without `stop`: killed, out of
 * memory, or its terminal closed. It waits for the end of a pipe that this process holds open, costs next to nothing
 * until then, and is in a session of its own, so that what a terminal sends to its processes does not reach it.
 * @returns ends the helper
 */
export function endAfterThisProcess(dir: string, port: number): () => void {
  const node = [process.execPath, script, dir, String(port)];
  // A shell waits in a hundredth of the memory of node, which reads the end of its input again.
  const [command, ...args] =
    process.platform === 'win32' ? node : ['sh', '-c', 'cat >/dev/null; exec "$@" </dev/null', 'sh', ...node];
  const helper = spawn(command!, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  // Without a helper the server is left running when this process is killed, and works all the same.
  helper.on('error', () => undefined);
  helper.unref();
  const pipe = helper.stdin;
  pipe?.on('error', () => undefined);
  // A pipe is a socket here, and only the type does not say so.
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return () => {
    if (helper.pid === undefined || helper.exitCode !== null || helper.signalCode !== null) return;
    try {
      process.kill(process.platform === 'win32' ? helper.pid : -helper.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  };
}
