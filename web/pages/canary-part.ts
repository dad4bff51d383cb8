import { readCanaryState } from '../components/canary-state.ts';
import { charts } from '../components/charts/charts.ts';
import { daily, dayMs, firstDayMs, sum } from '../components/days.ts';
import { type Html, html } from '../components/html.ts';
import { badge, empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import { counted, time } from '../components/values.ts';
import type { PageRequest } from '../frame/page.ts';
import type { Canary } from './adaptor-data.ts';
import { longestRange, type RangedPart, rangeLinks, readRange } from './ranges.ts';

const canaryRange: RangedPart = {
  part: 'canaries',
  parameter: 'simulated',
  label: 'Days of simulations',
};

type Operation = Canary['operations'][number];

/** Renders which operations work in simulations, with the age of each state and a bar for each day. */
export function canaryPart(
  canary: Canary | null,
  { serviceType, publisher }: ListingKey,
  request: PageRequest,
): Html {
  if (!canary)
    return empty('It is not simulated', html`<p>Only listings whose publisher is verified are.</p>`);
  const { operations } = canary;
  const { network, nowMs, search } = request;
  const route = `/api/adaptors/${encodeURIComponent(serviceType)}/canaries?${new URLSearchParams({ network, publisher, days: String(longestRange) })}`;
  const explanation = html`<p>The marketplace simulates each operation every ten minutes, in a new wallet, without keys or funds. A simulation shows life, not safety: an adaptor can recognise it.</p>`;
  if (operations.length === 0)
    return html`${explanation}${empty(canary.ranAtMs === null ? 'Not simulated yet' : 'No operation can be run here', '')}`;
  const rows = operations.map((one) => [
    html`<code>${plain(one.name)}</code>`,
    badge(...readCanaryState(one.state)),
    html`${time(one.sinceMs, nowMs)}`,
    one.triedAtMs === null ? 'never' : time(one.triedAtMs, nowMs),
    describeOperation(one),
  ]);
  return html`${explanation}${table(['Operation', 'State', 'Since', 'Last simulated', 'Last result'], rows)}
    ${rangeLinks(canaryRange, request)}
    ${dayChart(operations, readRange(canaryRange, search), nowMs)}<p><a href=${route}>All results as JSON</a></p>`;
}

interface ListingKey {
  serviceType: string;
  publisher: string;
}

function describeOperation({ untried, outcomes, state }: Operation): Html {
  if (untried !== null) return plain(untried);
  const failures = [...new Set(outcomes.flatMap(({ failure }) => failure ?? []))];
  const failed = outcomes.filter(({ failure }) => failure !== null).length;
  if (failed === 0) return outcomes.length > 1 ? `works for ${outcomes.length} amounts` : 'works';
  const why = html`<code>${plain(failures.join(', '))}</code>`;
  if (state === 'UNPROVEN') return html`${why}: it may need what a new wallet lacks`;
  return html`fails for ${failed} of ${counted(outcomes.length, 'amount')}: ${why}`;
}

/** Draws the simulated calls of all operations by day, with a table of the same numbers. */
function dayChart(operations: readonly Operation[], range: number, nowMs: number): Html {
  const counts = (key: 'worked' | 'failed') => {
    const days = operations.map((one) => daily(one.days, range, nowMs, (row) => row?.[key] ?? 0));
    return Array.from({ length: range }, (_, at) => sum(days.map((values) => values[at]!)));
  };
  const [worked, failed] = [counts('worked'), counts('failed')];
  const measure = {
    title: 'Simulated calls a day',
    summary: `${counted(sum(worked), 'call')} worked in ${range} days, ${sum(failed)} failed`,
    mark: 'bars' as const,
    series: [
      { name: 'worked', values: worked },
      { name: 'failed', values: failed },
    ],
  };
  const steps = { fromMs: firstDayMs(range, nowMs), stepMs: dayMs, count: range };
  return charts({ steps, step: 'Day', measures: [measure] });
}
