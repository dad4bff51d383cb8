import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends a signal to a process that still runs, and waits for its end. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
