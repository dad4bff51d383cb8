import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface ProcessBounds {
  /** Maximum processor time from the call on, in milliseconds. */
  processorMs: number;
  /**
   * Maximum resident memory of the whole process, in megabytes. Absent: no bound. Node's own bound
   * (`--max-old-space-size`) does not hold for WebAssembly.
   */
  residentMb?: number;
}

/**
 * Starts a script in a process of its own, for work that must neither block nor end this one. It has no access to the
 * environment, and no output. `PARENT_PID` is the id of this process.
 */
export function forkSilently(script: URL, execArgv: readonly string[]): ChildProcess {
  const child = fork(fileURLToPath(script), {
    execArgv: [...execArgv],
    // It has no use for secrets. Windows starts no process without `SystemRoot`.
    env: { SystemRoot: process.env.SystemRoot, PARENT_PID: String(process.pid) },
    serialization: 'advanced',
    stdio: 'ignore',
  });
  // An error that nothing listens for, such as a start that fails, would end this process.
  return child.on('error', () => undefined);
}

/**
 * Sends a request to a process of `forkSilently`, and passes its messages to `receive` until that returns a result.
 * @returns undefined if the process ended first, or could not start
 */
export async function exchange<Message, Result>(
  child: ChildProcess,
  request: object,
  receive: (message: Message) => Result | undefined,
): Promise<Result | undefined> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const ended = Promise.withResolvers<Result | undefined>();
  const take = (message: unknown) => {
    const result = receive(message as Message);
    if (result !== undefined) ended.resolve(result);
  };
  const fail = () => ended.resolve(undefined);
  child.on('message', take).once('exit', fail).once('error', fail);
  try {
    // A process that could not start has no channel, and one that just ended cannot be written to. An event follows.
    child.send?.(request, () => undefined);
    return await ended.promise;
  } finally {
    child.off('message', take).off('exit', fail).off('error', fail);
  }
}

let watch: Worker | undefined;

/**
 * Ends this process of `forkSilently` with SIGKILL once it exceeds the bounds, or its parent has ended, however busy it is.
 * The last call counts.
 */
export async function boundProcess(bounds: ProcessBounds): Promise<void> {
  watch ??= new Worker(new URL(`./watch-bounds${scriptExtension}`, import.meta.url));
  watch.postMessage(bounds);
  await once(watch, 'message');
}

/** Scripts are `.js` in the published package. */
const scriptExtension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
