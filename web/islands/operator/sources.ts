import type { Status } from '@adaptor-marketplace/sdk';
import { badge, count, counted, empty, type Html, html, plain, table, time } from '../../components/index.ts';
import { send } from '../api/ask.ts';
import { createSection, type Section } from './section.ts';
import { createSourceHistory } from './source-history.ts';

type Source = Status['networks'][string]['sources'][number];

/** Progress of a source at the time of a read. */
interface SourceSnapshot {
  checkpoint: number;
  events: number;
  atMs: number;
}

const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

function renderState({ ready, stoppedMs, removedMs }: Source): Html {
  if (removedMs !== null) return badge('neutral', 'Not followed');
  if (stoppedMs !== null) return badge('danger', 'Stopped');
  return ready ? badge('good', 'Ready') : badge('caution', 'Not ready');
}

/** Sources by network, with the rate of each between the last two reads of this page. */
export function createSourcesSection(): Section<Status> {
  const history = createSourceHistory();
  let before = new Map<string, SourceSnapshot>();
  let latest = new Map<string, SourceSnapshot>();

  function renderRate(key: string): Html {
    const [from, to] = [before.get(key), latest.get(key)];
    const seconds = from && to ? (to.atMs - from.atMs) / 1_000 : 0;
    if (!from || !to || seconds < 1) return html`<span class="muted">measuring</span>`;
    const perSecond = (name: 'checkpoint' | 'events') => decimal.format((to[name] - from[name]) / seconds);
    return html`<p>${perSecond('checkpoint')} checkpoints/s</p><p>${perSecond('events')} events/s</p>`;
  }

  function renderRows(network: string, sources: readonly Source[], nowMs: number): Html[][] {
    return sources.map((source) => [
      html`<strong>${source.name}</strong>`,
      html`${renderState(source)}${source.lastError === null ? '' : html`<p class="muted">${plain(source.lastError)}${source.lastErrorMs === null ? '' : html`, ${time(source.lastErrorMs, nowMs)}`}</p>`}`,
      html`${source.lagSeconds === null ? 'nothing read yet' : `${count(source.lagSeconds)} s`}${source.secondsLeft === null ? '' : html`<p class="muted">caught up in about ${count(source.secondsLeft)} s</p>`}`,
      source.checkpoint === null ? '' : count(source.checkpoint),
      renderRate(`${network}.${source.name}`),
      html`<p>${count(source.events)}</p>${source.undecodedEvents === 0 ? '' : html`<p class="caution">${count(source.undecodedEvents)} not decoded</p>`}`,
    ]);
  }

  return createSection<Status>({
    title: 'Sources',
    about: html`<p class="muted">What the indexer follows on chain. A source that is further behind than MAX_LAG_SECONDS is not ready. The charts begin when you open this page: <a href="/status">the status page</a> has the last 24 hours.</p>`,
    async load() {
      const status = await send<Status>('/status', { cache: 'no-store' });
      const atMs = Date.now();
      for (const [network, { sources }] of Object.entries(status.networks))
        history.add(network, sources, atMs);
      before = latest;
      latest = new Map(
        Object.entries(status.networks).flatMap(([network, { sources }]) =>
          sources.map(({ name, checkpoint, events }): [string, SourceSnapshot] => [
            `${network}.${name}`,
            { checkpoint: checkpoint ?? 0, events, atMs },
          ]),
        ),
      );
      return status;
    },
    show({ networks }) {
      const nowMs = Date.now();
      const numbers = ['Behind', 'Checkpoint', 'Rate', 'Events'].map((number) => ({ number }));
      const columns = ['Source', 'State', ...numbers];
      return Object.entries(networks).map(([network, { sources, listings, catalogVersion }]) => {
        const head = html`<h3>${network}</h3><p class="muted">${counted(listings.listed, 'listing')}, ${count(listings.unlisted)} unlisted, revision ${count(catalogVersion)} of the catalog</p>`;
        if (sources.length === 0)
          return html`${head}${empty('No source has started', html`<p>Start the role indexer.</p>`)}`;
        return html`${head}${table(columns, renderRows(network, sources, nowMs))}${history.show(network, nowMs)}`;
      });
    },
  });
}
