import type { AgentRun, AgentRunStep } from '@adaptor-marketplace/sdk';
import { isTemporary } from '../api/ask.ts';

/** A run that its stream updates. Steps from the stream have no time. */
export type StreamedRun = Omit<AgentRun, 'steps'> & { steps: AgentRunStep[] };

interface RunPage {
  read(): Promise<StreamedRun>;
  /** Opens the stream of the steps after the first `from`: a line of JSON for each. */
  stream(from: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  show(run: StreamedRun): void;
}

const retryMs = 2_000;

/**
 * Reads a run, and then streams its steps until it ends. After an outage, it resumes after the last step. An aborted
 * signal ends it, and nothing is shown any longer.
 * @throws RequestRefusedError, ActionFailedError
 */
export async function followRun({ read, stream, show }: RunPage, signal: AbortSignal): Promise<void> {
  let run = await read();
  const update = (next: StreamedRun) => {
    if (signal.aborted) return;
    run = next;
    show(run);
  };

  async function readSteps(): Promise<void> {
    const reader = (await stream(run.steps.length, signal)).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (text + value).split('\n');
      text = lines.pop() ?? '';
      const steps = lines.filter((line) => line !== '').map((line): AgentRunStep => JSON.parse(line));
      update({ ...run, steps: [...run.steps, ...steps] });
    }
  }

  update(run);
  while (!signal.aborted && (run.state === 'running' || run.state === 'signed')) {
    const isCut = await readSteps().then(
      () => false,
      () => true,
    );
    if (isCut && !signal.aborted) await new Promise((done) => setTimeout(done, retryMs));
    if (signal.aborted) return;
    await read().then(update, (error) => {
      // The session is over, or the run is not the owner's.
      if (!isTemporary(error)) throw error;
    });
  }
}
