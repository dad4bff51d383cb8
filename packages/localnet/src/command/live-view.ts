import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { Activity } from './activity.ts';

const refreshMs = 250;

/** Shows what happens in place, at the bottom of a terminal, below the lines that `say` adds, until `stop`. */
export function showLive(
  activity: Activity,
  terminal: NodeJS.WriteStream,
): { say(line: string): void; stop(): void } {
  const update = createLogUpdate(terminal);
  const show = () => update(renderActivity(activity).join('\n'));
  show();
  const timer = setInterval(show, refreshMs);
  return {
    say(line) {
      update.clear();
      terminal.write(`${line}\n`);
      show();
    },
    stop() {
      clearInterval(timer);
      show();
      update.done();
    },
  };
}

/** The lines of the view. */
export function renderActivity({ checkpoint, transactions, rate, events }: Activity): string[] {
  const number = (value: number | bigint) => value.toLocaleString('en');
  const lines = [
    '',
    [
      `checkpoint ${styleText('bold', number(checkpoint))}`,
      `transactions ${styleText('bold', number(transactions))}`,
      `${styleText('bold', rate.toFixed(1))} per second`,
    ].join('    '),
  ];
  for (const { timestampMs, type, sender, digest } of events) {
    const time = new Date(timestampMs).toISOString().slice(11, 19);
    lines.push(
      `  ${styleText('dim', time)}  ${type}  ${styleText('dim', `${short(sender)} in ${short(digest)}`)}`,
    );
  }
  return lines;
}

const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-4)}`;
