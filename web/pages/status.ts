import { type Html, html } from '../components/html.ts';
import { badge, type State } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import { count, counted, time } from '../components/values.ts';
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

/** A quarter of an hour of one source, as a gateway saw it every half minute. */
export interface SourceQuarter {
  fromMs: number;
  samples: number;
  /** Samples in which the source was further behind than it may be. */
  late: number;
  /** Samples in which its last error was newer than the sample before. */
  failed: number;
  lagSecondsMax: number;
  /** Events stored since the quarter began. */
  events: number;
}

export interface SourceHistory {
  network: string;
  name: string;
  /** The oldest first; at most 96, a day. Quarters without a sample are absent. */
  quarters: readonly SourceQuarter[];
}

interface StatusView {
  status: { networks: Readonly<Record<string, NetworkStatus>>; unserved: Readonly<Record<string, string>> };
  history: readonly SourceHistory[];
  maxLagSeconds: number;
  nowMs: number;
}

const quarterMs = 15 * 60_000;
const quarters = 96;
const [barWidth, height] = [4, 40];

function sourceBadge({ ready, stoppedMs, removedMs }: Source): Html {
  if (removedMs !== null) return badge('neutral', 'Not followed');
  if (stoppedMs !== null) return badge('danger', 'Stopped');
  return ready ? badge('good', 'Ready') : badge('caution', 'Not ready');
}

const pickState = ({ late, failed }: SourceQuarter): State =>
  late > 0 ? 'danger' : failed > 0 ? 'caution' : 'good';

/** Draws a value of each quarter of the last day as bars, in the colors of their states. */
function bars(
  recorded: readonly SourceQuarter[],
  value: (quarter: SourceQuarter) => number,
  nowMs: number,
): Html {
  const firstMs = nowMs - (nowMs % quarterMs) - (quarters - 1) * quarterMs;
  const most = Math.max(1, ...recorded.map(value));
  const paths = { good: '', caution: '', danger: '', neutral: '' };
  for (const quarter of recorded) {
    const at = Math.round((quarter.fromMs - firstMs) / quarterMs);
    if (at < 0 || at >= quarters) continue;
    const tall = Math.max(2, Math.round((value(quarter) / most) * height));
    paths[pickState(quarter)] += `M${at * barWidth} ${height}v-${tall}h${barWidth - 1}v${tall}`;
  }
  return html`${Object.entries(paths).map(([state, d]) => (d === '' ? '' : html`<path class=${state} d=${d} />`))}`;
}

/** Renders a value of a source over the last day. */
function dayPlot(
  label: string,
  unit: string,
  recorded: readonly SourceQuarter[],
  value: (quarter: SourceQuarter) => number,
  nowMs: number,
): Html {
  const most = Math.max(0, ...recorded.map(value));
  const words = `${label} over the last 24 hours: at most ${count(most)} ${unit}`;
  return html`<figure class="chart day">
    <svg role="img" aria-label=${words} viewBox="0 0 ${quarters * barWidth} ${height}" preserveAspectRatio="none">${bars(recorded, value, nowMs)}</svg>
    <figcaption><span>24 h ago</span><span>at most ${count(most)} ${unit}</span><span>now</span></figcaption>
  </figure>`;
}

function summarize(recorded: readonly SourceQuarter[]): Html {
  const sum = (name: 'samples' | 'late' | 'failed') =>
    recorded.reduce((total, quarter) => total + quarter[name], 0);
  const [samples, late, failed] = [sum('samples'), sum('late'), sum('failed')];
  if (samples === 0) return html`<span class="muted">nothing recorded yet</span>`;
  const inTime = Math.floor(((samples - late) / samples) * 10_000) / 100;
  return html`${inTime} % in time, ${counted(failed, 'sample')} with a new error`;
}

function renderNetwork(
  name: string,
  { sources, providers, listings, catalogVersion }: NetworkStatus,
  { history, nowMs }: StatusView,
): Html {
  const rows = sources.map((source) => [
    html`<strong>${source.name}</strong>`,
    html`${sourceBadge(source)}${source.lastError === null ? '' : html`<p class="muted">${plain(source.lastError)}${source.lastErrorMs === null ? '' : html`, ${time(source.lastErrorMs, nowMs)}`}</p>`}`,
    source.lagSeconds === null ? 'nothing read yet' : `${count(source.lagSeconds)} s`,
    source.checkpoint === null ? '' : count(source.checkpoint),
    count(source.events),
  ]);
  const past = sources.map((source) => {
    const found = history.find((one) => one.network === name && one.name === source.name)?.quarters ?? [];
    return html`<section class="past"><h4>${source.name}</h4><p class="muted">${summarize(found)}</p>
      ${dayPlot(`Seconds that ${source.name} was behind`, 's behind', found, ({ lagSecondsMax }) => lagSecondsMax, nowMs)}
      ${dayPlot(`Events of ${source.name}`, 'events in 15 min', found, ({ events }) => events, nowMs)}</section>`;
  });
  const hosts = providers.map(({ host, inUse, state, reason, latencyMs }) => [
    html`${plain(host)}${inUse ? html` <span class="muted">in use</span>` : ''}`,
    html`${badge(state === 'healthy' ? 'good' : 'caution', state)}${reason === null ? '' : html`<p class="muted">${plain(reason)}</p>`}`,
    latencyMs === null ? '' : `${count(latencyMs)} ms`,
  ]);
  const numbers = ['Behind', 'Checkpoint', 'Events'].map((number) => ({ number }));
  return html`<section class="part"><h2 class="gap">${name}</h2>
    <p class="muted">${counted(listings.listed, 'listing')}, revision ${count(catalogVersion)} of the catalog</p>
    ${table(['Source', 'State', ...numbers], rows)}
    <h3>Last 24 hours</h3><div class="past-all">${past}</div>
    ${hosts.length === 0 ? '' : html`<h3>Nodes</h3>${table(['Node', 'State', { number: 'Response' }], hosts)}`}</section>`;
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
  description: 'How far the index is behind the chain, now and over the last 24 hours.',
  main: html`<h1>Status</h1>
    <p class="lead with-badge">${sumUp(view)}</p>
    ${Object.entries(view.status.networks).map(([name, one]) => renderNetwork(name, one, view))}
    ${Object.entries(view.status.unserved).map(([name, reason]) => html`<section class="part"><h2 class="gap">${name}</h2><p>${reason}</p></section>`)}
    <p class="muted">A bar is a quarter of an hour: red if the source was late in it, amber if it reported an error. The gateway that serves this page records them since its start. Programs get the current state as JSON here, and <a href="/docs">the API reference</a> describes it.</p>`,
});
