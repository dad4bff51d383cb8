import { charts } from '../components/charts/charts.ts';
import type { Measure } from '../components/charts/drawing.ts';
import { sum } from '../components/days.ts';
import { type Html, html } from '../components/html.ts';
import { badge, type State } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import { count, counted, decimal, shortened, time } from '../components/values.ts';
import type { Content } from '../frame/page.ts';

interface Source {
  name: string;
  ready: boolean;
  checkpoint: number | null;
  lagSeconds: number | null;
  events: number;
  lastError: string | null;
  lastErrorMs: number | null;
  stoppedMs: number | null;
  removedMs: number | null;
}

interface Provider {
  host: string;
  inUse: boolean;
  state: string;
  reason: string | null;
  latencyMs: number | null;
}

interface NetworkStatus {
  catalogVersion: number;
  sources: readonly Source[];
  providers: readonly Provider[];
  listings: { listed: number };
}

/** A quarter of an hour of one source, as the gateways sampled it every half minute. */
interface SourceQuarter {
  network: string;
  source: string;
  fromMs: number;
  samples: number;
  /** Samples in which the source was further behind than it may be. */
  late: number;
  /** Samples in which its last error was newer than the sample before. */
  failed: number;
  lagSecondsMax: number;
  events: number;
}

/** Balance of an address that pays the gas of the agent's runs, at the end of a quarter of an hour. */
interface GasQuarter {
  network: string;
  payer: string;
  fromMs: number;
  /** In MIST. */
  balance: string;
}

interface Reads {
  primaryShare: number;
  replicas: readonly { replica: number; state: string; lagMs: number; share: number }[];
}

interface StatusView {
  status: {
    networks: Readonly<Record<string, NetworkStatus>>;
    unserved: Readonly<Record<string, string>>;
    reads: Reads;
  };
  /** Quarters of the last day that have a sample. */
  history: readonly SourceQuarter[];
  gas: readonly GasQuarter[];
  maxLagSeconds: number;
  nowMs: number;
}

/** Half hours of the charts: two quarters each, over a day. */
const steps = { stepMs: 30 * 60_000, count: 48 };

function sourceBadge({ ready, stoppedMs, removedMs }: Source): Html {
  if (removedMs !== null) return badge('neutral', 'Not followed');
  if (stoppedMs !== null) return badge('danger', 'Stopped');
  return ready ? badge('good', 'Ready') : badge('caution', 'Not ready');
}

function pickState(recorded: readonly SourceQuarter[]): State {
  if (recorded.some(({ late }) => late > 0)) return 'danger';
  return recorded.some(({ failed }) => failed > 0) ? 'caution' : 'good';
}

/** Measures of a source over the last day. The state of a step is in its color, and in the text of the table. */
function measureSource(name: string, recorded: readonly SourceQuarter[], fromMs: number): Measure[] {
  const byStep = Map.groupBy(recorded, (quarter) => Math.floor((quarter.fromMs - fromMs) / steps.stepMs));
  const all = Array.from({ length: steps.count }, (_, at) => byStep.get(at) ?? []);
  const lags = all.map((some) =>
    some.length === 0 ? null : Math.max(...some.map((one) => one.lagSecondsMax)),
  );
  const events = all.map((some) => (some.length === 0 ? null : sum(some.map((one) => one.events))));
  const states = all.map(pickState);
  const words = { danger: ', late', caution: ', new error', good: '', neutral: '' };
  return [
    {
      title: `${name}: seconds behind`,
      summary: summarize(recorded),
      mark: 'bars',
      states,
      series: [
        {
          name: 'seconds behind',
          values: lags,
          texts: lags.map((lag, at) => (lag === null ? '' : `${count(lag)} s${words[states[at]!]}`)),
        },
      ],
    },
    {
      title: `${name}: events`,
      summary: `${counted(sum(recorded.map(({ events }) => events)), 'event')} in 24 hours`,
      mark: 'bars',
      series: [{ name: 'events', values: events }],
    },
  ];
}

/** Balances over the last day, each the latest that is known in its step. */
function measureGas(payer: string, quarters: readonly GasQuarter[], fromMs: number): Measure {
  const byStep = new Map(
    quarters.map((quarter) => [Math.floor((quarter.fromMs - fromMs) / steps.stepMs), quarter.balance]),
  );
  const balances = Array.from({ length: steps.count }, (_, at) => byStep.get(at) ?? null);
  const format = (balance: string) => `${decimal(balance, 9)} SUI`;
  return {
    title: `agent ${shortened(payer)}: SUI for gas`,
    summary: `${format(quarters.at(-1)!.balance)} when the agent last read its coins`,
    mark: 'line',
    series: [
      {
        name: 'SUI for gas',
        values: balances.map((balance) => (balance === null ? null : Number(balance) / 1e9)),
        texts: balances.map((balance) => (balance === null ? '' : format(balance))),
      },
    ],
  };
}

function summarize(recorded: readonly SourceQuarter[]): string {
  const add = (name: 'samples' | 'late' | 'failed') => sum(recorded.map((quarter) => quarter[name]));
  const [samples, late, failed] = [add('samples'), add('late'), add('failed')];
  if (samples === 0) return 'nothing recorded yet';
  const inTime = Math.floor(((samples - late) / samples) * 10_000) / 100;
  const most = Math.max(...recorded.map(({ lagSecondsMax }) => lagSecondsMax));
  return `at most ${count(most)} s, ${inTime} % in time, ${counted(failed, 'sample')} with a new error`;
}

function renderNetwork(
  name: string,
  { sources, providers, listings, catalogVersion }: NetworkStatus,
  { history, gas, nowMs }: StatusView,
): Html {
  const rows = sources.map((source) => [
    html`<strong>${source.name}</strong>`,
    html`${sourceBadge(source)}${source.lastError === null ? '' : html`<p class="muted">${plain(source.lastError)}${source.lastErrorMs === null ? '' : html`, ${time(source.lastErrorMs, nowMs)}`}</p>`}`,
    source.lagSeconds === null ? 'nothing read yet' : `${count(source.lagSeconds)} s`,
    source.checkpoint === null ? '' : count(source.checkpoint),
    count(source.events),
  ]);
  const { stepMs } = steps;
  const fromMs = nowMs - (nowMs % stepMs) - (steps.count - 1) * stepMs;
  const measures = sources.flatMap((source) => {
    const own = history.filter((one) => one.network === name && one.source === source.name);
    return measureSource(source.name, own, fromMs);
  });
  const payers = Map.groupBy(
    gas.filter((one) => one.network === name),
    ({ payer }) => payer,
  );
  for (const [payer, quarters] of payers) measures.push(measureGas(payer, quarters, fromMs));
  const hosts = providers.map(({ host, inUse, state, reason, latencyMs }) => [
    html`${plain(host)}${inUse ? html` <span class="muted">in use</span>` : ''}`,
    html`${badge(state === 'healthy' ? 'good' : 'caution', state)}${reason === null ? '' : html`<p class="muted">${plain(reason)}</p>`}`,
    latencyMs === null ? '' : `${count(latencyMs)} ms`,
  ]);
  const numbers = ['Behind', 'Checkpoint', 'Events'].map((number) => ({ number }));
  return html`<section class="part"><h2 class="gap">${name}</h2>
    <p class="muted">${counted(listings.listed, 'listing')}, revision ${count(catalogVersion)} of the catalog</p>
    ${table(['Source', 'State', ...numbers], rows)}
    <h3>Last 24 hours</h3>${charts({ steps: { fromMs, ...steps }, step: 'Half hour', measures })}
    ${hosts.length === 0 ? '' : html`<h3>Nodes</h3>${table(['Node', 'State', { number: 'Response' }], hosts)}`}</section>`;
}

/** The servers that this gateway reads from; nothing if it has one database. */
function renderReads({ primaryShare, replicas }: Reads): Html {
  if (replicas.length === 0) return html``;
  const percent = (share: number) => `${count(Math.round(share * 100))} %`;
  const rows = replicas.map(({ replica, state, lagMs, share }) => [
    html`Replica ${count(replica)}`,
    badge(state === 'ready' ? 'good' : 'caution', state),
    `${count(lagMs)} ms`,
    percent(share),
  ]);
  const primary = [html`Primary`, badge('good', 'ready'), '', percent(primaryShare)];
  const head = ['Server', 'State', { number: 'Behind' }, { number: 'Reads' }];
  return html`<section class="part"><h2 class="gap">Database</h2>${table(head, [primary, ...rows])}</section>`;
}

function sumUp({ status, maxLagSeconds }: StatusView): Html {
  const all = Object.values(status.networks).flatMap(({ sources }) => sources);
  const followed = all.filter(({ removedMs }) => removedMs === null);
  const late = followed.filter(({ ready }) => !ready);
  if (followed.length === 0) return html`${badge('caution', 'Not started')} No source has started.`;
  if (late.length === 0)
    return html`${badge('good', 'In time')} Every source is at most ${count(maxLagSeconds)} s behind the chain.`;
  return html`${badge('danger', 'Behind')} ${counted(late.length, 'source')} of ${count(followed.length)} ${late.length === 1 ? 'is' : 'are'} not ready: what the site shows of ${late.length === 1 ? 'it' : 'them'} may be old.`;
}

/** The state of the service for everyone, and how it was over the last day. */
export const statusPage = (view: StatusView): Content => ({
  title: 'Status',
  islands: ['charts'],
  description: 'How far the index is behind the chain, now and over the last 24 hours.',
  main: html`<h1>Status</h1>
    <p class="lead with-badge">${sumUp(view)}</p>
    ${Object.entries(view.status.networks).map(([name, one]) => renderNetwork(name, one, view))}
    ${Object.entries(view.status.unserved).map(([name, reason]) => html`<section class="part"><h2 class="gap">${name}</h2><p>${reason}</p></section>`)}
    ${renderReads(view.status.reads)}
    <p class="muted">A bar is half an hour: red if the source was late in it, amber if it reported an error. The table says both in words. The gateways of this host record them. Programs get the current state as JSON here, and <a href="/docs">the API reference</a> describes it.</p>`,
});
