import type { Status } from '@adaptor-marketplace/sdk';
import { charts } from '../../components/charts/charts.ts';
import type { Measure } from '../../components/charts/drawing.ts';
import { count, type Html, type State } from '../../components/index.ts';

type Source = Status['networks'][string]['sources'][number];

/** Reads of this page by steps of 10 s, over the last 10 minutes. */
const steps = { stepMs: 10_000, count: 60 };

/** Progress of a source at the time of a read. */
interface Read {
  atMs: number;
  lagSeconds: number | null;
  ready: boolean;
  events: number;
  lastErrorMs: number | null;
}

interface SourceHistory {
  add(network: string, sources: readonly Source[], atMs: number): void;
  /** Renders lag, errors and rate of each source of a network. */
  show(network: string, nowMs: number): Html;
}

const rate = (before: Read | undefined, { events, atMs }: Read): number | null =>
  before && atMs > before.atMs
    ? Math.max(0, ((events - before.events) * 1_000) / (atMs - before.atMs))
    : null;

function pickState(before: Read | undefined, { ready, lastErrorMs }: Read): State {
  if (!ready) return 'danger';
  return lastErrorMs !== null && before !== undefined && lastErrorMs > before.atMs ? 'caution' : 'good';
}

const words: Partial<Record<State, string>> = { danger: ', not ready', caution: ', new error' };
const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

function measureSource(name: string, reads: readonly Read[], fromMs: number): Measure[] {
  const at = (read: Read) => Math.floor((read.atMs - fromMs) / steps.stepMs);
  const lags: (number | null)[] = Array(steps.count).fill(null);
  const rates: (number | null)[] = Array(steps.count).fill(null);
  const states: State[] = Array(steps.count).fill('neutral');
  for (const [nth, read] of reads.entries()) {
    const step = at(read);
    if (step < 0 || step >= steps.count) continue;
    lags[step] = read.lagSeconds;
    rates[step] = rate(reads[nth - 1], read);
    states[step] = pickState(reads[nth - 1], read);
  }
  const most = (values: readonly (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));
  return [
    {
      title: `${name}: seconds behind`,
      summary: `at most ${count(most(lags))} s`,
      mark: 'bars',
      states,
      series: [
        {
          name: 'seconds behind',
          values: lags,
          texts: lags.map((lag, step) =>
            lag === null ? '' : `${count(lag)} s${words[states[step]!] ?? ''}`,
          ),
        },
      ],
    },
    {
      title: `${name}: events a second`,
      summary: `at most ${decimal.format(most(rates))}`,
      mark: 'line',
      series: [
        {
          name: 'events a second',
          values: rates,
          texts: rates.map((value) => (value === null ? '' : decimal.format(value))),
        },
      ],
    },
  ];
}

/** Records what the page reads of sources while it is open. */
export function createSourceHistory(): SourceHistory {
  const networks = new Map<string, Map<string, Read[]>>();
  return {
    add(network, sources, atMs) {
      const bySource = networks.get(network) ?? new Map<string, Read[]>();
      networks.set(network, bySource);
      for (const { name, lagSeconds, ready, events, lastErrorMs } of sources) {
        const reads = [...(bySource.get(name) ?? []), { atMs, lagSeconds, ready, events, lastErrorMs }];
        bySource.set(name, reads.slice(-steps.count));
      }
    },
    show(network, nowMs) {
      const { stepMs } = steps;
      const fromMs = nowMs - (nowMs % stepMs) - (steps.count - 1) * stepMs;
      const measures = [...(networks.get(network) ?? [])].flatMap(([name, reads]) =>
        measureSource(name, reads, fromMs),
      );
      return measures.length === 0 ? '' : charts({ steps: { fromMs, ...steps }, step: 'Step', measures });
    },
  };
}
