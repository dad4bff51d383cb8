import { MultiBar, type SingleBar } from 'cli-progress';
import type { Logger } from '../../../lib/log/index.ts';
import { Pace } from './pace.ts';

/** Shows the progress of the sources while they catch up. */
export interface Progress {
  tip(source: string, checkpoint: number): void;
  moved(source: string, checkpoint: number, events: number): void;
  caughtUp(source: string): void;
  /** Returns the seconds until the source has caught up, at its latest pace. Undefined once it has, and without a pace. */
  estimateSecondsLeft(source: string): number | undefined;
  close(): void;
}

interface State {
  /** Absent before the first checkpoint. */
  pace?: Pace;
  tip: number;
  bar?: SingleBar;
}

const everyMs = 10_000;
/** Minimum number of checkpoints behind the tip for which progress is shown. A live source is a few behind. */
const behindMin = 100;

/** Shows one updating line per source on a terminal, else writes a log line every ten seconds. */
export function createProgress(log: Logger, stream: NodeJS.WriteStream = process.stderr): Progress {
  const states = new Map<string, State>();
  const caughtUp = new Set<string>();
  const bars = stream.isTTY ? openBars(stream) : undefined;
  const timer = bars ? undefined : setInterval(() => logAll(log, states), everyMs).unref();

  return {
    tip(source, checkpoint) {
      const state = states.get(source);
      if (state) state.tip = Math.max(state.tip, checkpoint);
      else if (!caughtUp.has(source)) states.set(source, { tip: checkpoint });
    },
    moved(source, checkpoint, events) {
      const state = states.get(source);
      if (!state) return;
      if (state.pace) state.pace.move(checkpoint, events, Date.now());
      else state.pace = new Pace(checkpoint, events, Date.now());
      if (bars && state.tip - state.pace.from >= behindMin) draw(bars, source, state.pace, state);
    },
    caughtUp(source) {
      const state = states.get(source);
      caughtUp.add(source);
      states.delete(source);
      if (state?.bar) bars?.remove(state.bar);
      if (state?.pace && state.pace.events > 0) {
        log.info({ source, ...summarize(state.pace, state.tip) }, 'caught up with the chain');
      }
    },
    estimateSecondsLeft(source) {
      const state = states.get(source);
      return state?.pace?.measure(state.tip, Date.now()).secondsLeft;
    },
    close() {
      clearInterval(timer);
      bars?.stop();
    },
  };
}

const openBars = (stream: NodeJS.WriteStream) =>
  new MultiBar({
    stream,
    clearOnComplete: true,
    hideCursor: true,
    format: '{source} {bar} checkpoint {at}  {rate} events/s  {left}',
  });

function draw(bars: MultiBar, source: string, pace: Pace, state: State): void {
  const { checkpoint, eventsPerSecond: rate, secondsLeft } = summarize(pace, state.tip);
  // The bar estimates from too few moves, and prints unknown values as text.
  const left = secondsLeft === undefined ? '' : `${formatDuration(secondsLeft)} left`;
  const payload = { source, at: checkpoint, rate, left };
  state.bar ??= bars.create(state.tip - pace.from, 0, payload);
  state.bar.setTotal(state.tip - pace.from);
  state.bar.update(checkpoint - pace.from, payload);
}

function logAll(log: Logger, states: Map<string, State>): void {
  for (const [source, { pace, tip }] of states) {
    if (!pace || tip - pace.checkpoint < behindMin) continue;
    log.info({ source, ...summarize(pace, tip) }, 'catching up');
  }
}

function summarize(pace: Pace, tip: number) {
  const { checkpoint, events } = pace;
  return { checkpoint, tip, events, ...pace.measure(tip, Date.now()) };
}

const units = [
  { name: 'days', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
];

/** Formats a time in the largest unit of which there are at least two. */
export function formatDuration(seconds: number): string {
  const unit = units.find((each) => seconds >= 2 * each.seconds) ?? { name: 's', seconds: 1 };
  return `${Math.round(seconds / unit.seconds).toLocaleString('en')} ${unit.name}`;
}
