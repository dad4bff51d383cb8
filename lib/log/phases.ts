import type { Logger } from './index.ts';
import type { StatusLine } from './status-line.ts';

/** Does the work as a phase of the start that people see. */
export type During = <T>(phase: string, work: () => Promise<T>) => Promise<T>;

/** The phases of a start, some of which run at the same time. */
export interface Phases {
  during: During;
  /** Removes what a terminal shows. Later phases are log lines. */
  end(): void;
}

/** Shows the phases with the seconds since the start in the status line of a terminal, else each as a log line. */
export function createPhases(log: Logger, terminal?: StatusLine): Phases {
  const running = new Set<string>();
  let shown = '';
  const started = performance.now();
  let status = terminal;
  const draw = () => {
    // Between two phases the line keeps the last one.
    if (running.size > 0) shown = [...running].join(', ');
    const seconds = Math.floor((performance.now() - started) / 1_000);
    status?.show(`Starting (${seconds} s): ${shown}`);
  };
  const timer = status && setInterval(draw, 1_000).unref();
  return {
    async during(phase, work) {
      running.add(phase);
      if (status) draw();
      else log.info(phase);
      try {
        return await work();
      } finally {
        running.delete(phase);
        draw();
      }
    },
    end() {
      clearInterval(timer);
      status?.show();
      status = undefined;
    },
  };
}
