import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Logger } from '../../../lib/log/index.ts';

/** Metrics of the indexer. Labels are few and fixed: network, source, and a state. */
export type IndexerMetrics = ReturnType<typeof createIndexerMetrics>;

/** Four buckets for each doubling, from a millisecond to half a minute. */
const stepBuckets = Array.from({ length: 60 }, (_, at) => Number((0.001 * 2 ** (at / 4)).toPrecision(3)));

export function createIndexerMetrics(registry: Registry) {
  const labelNames = ['network', 'source'] as const;
  const registers = [registry];
  const of = (name: string, help: string) => ({ name: `indexer_${name}`, help, labelNames, registers });
  return {
    events: new Counter(of('events_total', 'Events stored.')),
    undecoded: new Counter(
      of('undecoded_events_total', 'Events stored raw because their bytes did not decode.'),
    ),
    batches: new Counter(of('batches_total', 'Database transactions that moved a source.')),
    restarts: new Counter(
      of('restarts_total', 'Times a source was opened again after its stream ended or failed.'),
    ),
    checkpoint: new Gauge(of('checkpoint', 'Highest checkpoint covered in full.')),
    lag: new Gauge(of('lag_seconds', 'How far the source is behind the chain, by the chain’s clock.')),
    waitSeconds: new Counter({
      ...of('wait_seconds_total', 'Time spent waiting for the node (source) or for the database.'),
      labelNames: ['network', 'source', 'for'],
    }),
    checks: new Counter({
      name: 'indexer_checks_total',
      help: 'Checks of manifests, publishers, witnesses, jobs and coins by outcome.',
      labelNames: ['network', 'check', 'state'],
      registers,
    }),
    steps: new Histogram({
      name: 'indexer_step_seconds',
      help:
        'Steps of what the chain brings. receive: from the timestamp of a transaction until it is decoded; store: until it ' +
        'is committed; wait: from then until the first fetch of a manifest begins; manifest: until that is judged.',
      labelNames: ['network', 'step'],
      buckets: stepBuckets,
      registers,
    }),
  };
}

/** Shows the progress of the sources while they catch up. */
export interface Progress {
  tip(source: string, checkpoint: number): void;
  moved(source: string, checkpoint: number, events: number): void;
  caughtUp(source: string): void;
  /** Returns the seconds until the source has caught up, at its rate so far. Undefined once it has, and without a rate. */
  estimateSecondsLeft(source: string): number | undefined;
  close(): void;
}

interface State {
  startedAt: number;
  from: number;
  checkpoint: number;
  tip: number;
  events: number;
  bar?: SingleBar;
}

const everyMs = 10_000;
/** Minimum number of checkpoints behind the tip for which progress is shown. A live source is a few behind. */
const behindMin = 100;

/** Shows one updating line per source on a terminal, else writes a log line every ten seconds. */
export function createProgress(log: Logger, stream: NodeJS.WriteStream = process.stderr): Progress {
  const states = new Map<string, State>();
  const done = new Set<string>();
  const bars = stream.isTTY ? openBars(stream) : undefined;
  const timer = bars ? undefined : setInterval(() => logAll(log, states), everyMs).unref();

  return {
    tip(source, checkpoint) {
      const state = states.get(source);
      if (state) state.tip = Math.max(state.tip, checkpoint);
      else if (!done.has(source)) states.set(source, newState(checkpoint));
    },
    moved(source, checkpoint, events) {
      const state = states.get(source);
      if (!state) return;
      if (state.from < 0) state.from = checkpoint;
      state.checkpoint = checkpoint;
      state.events += events;
      if (bars && state.tip - state.from >= behindMin) draw(bars, source, state);
    },
    caughtUp(source) {
      const state = states.get(source);
      done.add(source);
      states.delete(source);
      if (state?.bar) bars?.remove(state.bar);
      if (state && state.events > 0) log.info({ source, ...summary(state) }, 'caught up with the chain');
    },
    estimateSecondsLeft(source) {
      const state = states.get(source);
      return state && state.from >= 0 ? summary(state).secondsLeft : undefined;
    },
    close() {
      clearInterval(timer);
      bars?.stop();
    },
  };
}

const newState = (tip: number): State => ({
  startedAt: Date.now(),
  from: -1,
  checkpoint: -1,
  tip,
  events: 0,
});

const openBars = (stream: NodeJS.WriteStream) =>
  new MultiBar({
    stream,
    clearOnComplete: true,
    hideCursor: true,
    format: '{source} {bar} checkpoint {at}  {rate} events/s  {left}',
  });

function draw(bars: MultiBar, source: string, state: State): void {
  const { eventsPerSecond: rate, secondsLeft } = summary(state);
  // The bar estimates from too few moves, and prints unknown values as text.
  const left = secondsLeft === undefined ? '' : `${secondsLeft.toLocaleString('en')} s left`;
  const payload = { source, at: state.checkpoint, rate, left };
  state.bar ??= bars.create(state.tip - state.from, 0, payload);
  state.bar.setTotal(state.tip - state.from);
  state.bar.update(state.checkpoint - state.from, payload);
}

function logAll(log: Logger, states: Map<string, State>): void {
  for (const [source, state] of states) {
    if (state.from < 0 || state.tip - state.checkpoint < behindMin) continue;
    log.info({ source, ...summary(state) }, 'catching up');
  }
}

function summary({ startedAt, from, checkpoint, tip, events }: State) {
  const seconds = Math.max(0.001, (Date.now() - startedAt) / 1000);
  const perSecond = (checkpoint - from) / seconds;
  return {
    checkpoint,
    tip,
    events,
    eventsPerSecond: Math.round(events / seconds),
    secondsLeft: perSecond > 0 ? Math.round((tip - checkpoint) / perSecond) : undefined,
  };
}
