import type { SqlResult } from '@adaptor-marketplace/sdk';
import { html } from '../../components/index.ts';
import { ActionFailedError, RequestRefusedError } from '../api/ask.ts';
import { request } from '../portal/session.ts';
import { openPortal } from '../portal/sign-in.ts';
import { describePosition, type Fault } from './plain-editor.ts';
import { showResult } from './result.ts';

interface Statements {
  readStatement(): string;
  showFault(fault: Fault): void;
  /** Called before a statement is sent. */
  onRun(): void;
}

const path = '/api/sql';

/** Opens the portal in which the holder of an API key runs statements. Returns a function that runs one. */
export function openSqlPortal(
  place: HTMLElement,
  { readStatement, showFault, onRun }: Statements,
): () => void {
  let running: AbortController | undefined;
  let result: { content: SqlResult; ms: number } | undefined;

  /** Runs what asks the API about the statement, and shows its fault in the editor. */
  async function attempt(
    what: string,
    ask: (sql: string, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    const sql = readStatement();
    onRun();
    const startedMs = performance.now();
    const timer = setInterval(() => {
      const elapsed = place.querySelector('#elapsed');
      if (elapsed) elapsed.textContent = `${Math.round((performance.now() - startedMs) / 1_000)} s`;
    }, 1_000);
    await attempts.run(what, async () => {
      try {
        await ask(sql, controller.signal);
      } catch (error) {
        if (controller.signal.aborted) return;
        throw locate(error, sql);
      } finally {
        clearInterval(timer);
        if (running === controller) running = undefined;
      }
    });
  }

  /** Marks the position of a fault in the editor, and names it in the error. */
  function locate(error: unknown, sql: string): unknown {
    if (!(error instanceof RequestRefusedError)) return error;
    const [fault] = error.errors;
    if (fault?.position === undefined) return error;
    showFault({ position: fault.position, message: fault.message });
    const where = describePosition(sql, fault.position);
    return new ActionFailedError(error.title, `At ${where}: ${fault.message}`);
  }

  const run = () =>
    attempt('Running the statement…', async (sql, signal) => {
      result = undefined;
      const startedMs = performance.now();
      const content = await request<SqlResult>(path, {
        method: 'POST',
        body: { sql, format: 'json' },
        signal,
      });
      result = { content, ms: performance.now() - startedMs };
    });

  const download = () =>
    attempt('Running the statement for the file…', async (sql, signal) => {
      const read = (answer: Response) => answer.blob();
      const file = await request<Blob>(path, { method: 'POST', body: { sql, format: 'csv' }, signal, read });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(file);
      link.download = 'result.csv';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });

  function content() {
    const isRunning = running !== undefined;
    const stop = html`<button type="button" class="quiet" onClick=${() => running?.abort()}>Stop</button><span class="muted" id="elapsed" aria-hidden="true"></span>`;
    return html`<p class="actions"><button type="button" onClick=${run} disabled=${isRunning} title="Ctrl+Enter in the editor">Run</button><button type="button" class="quiet" onClick=${download} disabled=${isRunning}>Download CSV</button>${isRunning ? stop : ''}</p>
      ${result ? showResult(result.content, result.ms) : ''}`;
  }

  const attempts = openPortal(place, {
    kind: 'key',
    read: async () => {},
    clear() {
      running?.abort();
      result = undefined;
    },
    content,
  });

  return () => {
    const secret = place.querySelector<HTMLInputElement>('#secret');
    if (secret) secret.focus();
    else void run();
  };
}
