import { displayText, formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import { charts } from '../components/charts/charts.ts';
import type { Measure } from '../components/charts/drawing.ts';
import { daily, dayMs, firstDayMs, sum } from '../components/days.ts';
import { type Html, html } from '../components/html.ts';
import { empty, peopleStat, stat } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import { amount, coinLogo, count, counted, decimal, time } from '../components/values.ts';
import type { PageRequest } from '../frame/page.ts';
import type { CoinUse, ListingData } from './adaptor-data.ts';
import { belongsToVerified } from './adaptor-parts.ts';
import { type RangedPart, rangeLinks, readRange } from './ranges.ts';

export const useRange: RangedPart = { part: 'use', parameter: 'days', label: 'Days of use' };

/** Names the highest value and its first day: `the most 45 on 2026-01-31`. */
function describeHighest(
  values: readonly number[],
  days: readonly string[],
  words: (value: number) => string,
): string {
  const most = Math.max(...values);
  return most === 0 ? 'none' : `the most ${words(most)} on ${days[values.indexOf(most)]}`;
}

/** Maximum number of coins with a chart. The table of coins has the others. */
const chartedCoinsMax = 4;

function measureCoin(
  { coin, coinInfo, taken, brought }: CoinUse,
  { usageByDay }: ListingData,
  range: number,
  nowMs: number,
): Measure {
  const decimals = coinInfo?.decimals ?? 0;
  const moved = daily(usageByDay, range, nowMs, (row) => row?.coins.find((one) => one.coin === coin));
  const series = (name: string, key: 'taken' | 'brought') => ({
    name,
    values: moved.map((day) => Number(day?.[key] ?? 0) / 10 ** decimals),
    texts: moved.map((day) => decimal(day?.[key] ?? '0', decimals)),
  });
  const symbol = displayText(formatCoinSymbol(coin, coinInfo));
  return {
    title: `${symbol} moved a day${coinInfo ? '' : ', base units'}`,
    summary: `${decimal(taken, decimals)} taken from wallets, ${decimal(brought, decimals)} brought to them`,
    mark: 'bars',
    series: [series('taken', 'taken'), series('brought', 'brought')],
  };
}

function measureRatings({ ratingsByDay }: ListingData, range: number, nowMs: number): Measure {
  const rated = daily(ratingsByDay, range, nowMs, (row) => row);
  const given = sum(ratingsByDay.map(({ count }) => count));
  const points = sum(ratingsByDay.map(({ count, avg }) => count * avg));
  return {
    title: 'Ratings of the day, of 5',
    summary: given === 0 ? 'none' : `${counted(given, 'rating')}, ${(points / given).toFixed(1)} on average`,
    mark: 'line',
    axisMax: 5,
    series: [
      {
        name: 'average',
        values: rated.map((day) => day?.avg ?? null),
        texts: rated.map((day) =>
          day ? `${day.avg.toFixed(1)} of 5 (${counted(day.count, 'rating')})` : '',
        ),
      },
    ],
  };
}

function useCharts(listing: ListingData, range: number, nowMs: number): Html {
  const { usageByDay, usageByCoin } = listing;
  const fromMs = firstDayMs(range, nowMs);
  const days = Array.from({ length: range }, (_, at) =>
    new Date(fromMs + at * dayMs).toISOString().slice(0, 10),
  );
  const uses = daily(usageByDay, range, nowMs, (row) => row?.actions ?? 0);
  const wallets = daily(usageByDay, range, nowMs, (row) => row?.wallets ?? 0);
  const measures: Measure[] = [
    {
      title: 'Uses a day',
      summary: `${counted(sum(uses), 'use')} in ${range} days, ${describeHighest(uses, days, count)}`,
      mark: 'bars',
      series: [{ name: 'uses', values: uses }],
    },
    {
      title: 'Distinct wallets a day',
      summary: describeHighest(wallets, days, count),
      mark: 'bars',
      series: [{ name: 'wallets', values: wallets }],
    },
    ...usageByCoin.slice(0, chartedCoinsMax).map((coin) => measureCoin(coin, listing, range, nowMs)),
    measureRatings(listing, range, nowMs),
  ];
  return charts({ steps: { fromMs, stepMs: dayMs, count: range }, step: 'Day', measures });
}

const coinRow = ({ coin, actions, taken, brought, coinInfo }: CoinUse): Html[] => [
  html`${coinLogo(coinInfo)}<span title=${coin}>${plain(formatCoinSymbol(coin, coinInfo))}</span>`,
  count(actions),
  amount(taken, coin, coinInfo),
  amount(brought, coin, coinInfo),
];

export function usePart(listing: ListingData, request: PageRequest): Html {
  const { usage, usageByDay, usageByCoin, publisherEverVerified, serviceType, adaptor } = listing;
  const { network, nowMs, search } = request;
  if (!publisherEverVerified)
    return belongsToVerified('This listing has no use of its own', serviceType, network);
  if (usage.actions === 0)
    return empty(
      'No wallet has used it yet',
      html`<p>Uses are counted on chain, one for each transaction of a wallet.</p>`,
    );
  const range = readRange(useRange, search);
  const numbers = ['Uses', 'Taken from wallets', 'Brought to wallets'].map((number) => ({ number }));
  return html`<dl class="stats">
      ${stat(`Uses in ${range} days`, count(sum(usageByDay.map(({ actions }) => actions))))}
      ${stat('Uses in all', count(usage.actions))}
      ${stat('Wallets', count(usage.uniqueVaults))}
      ${adaptor ? peopleStat('Owners', adaptor.owners, adaptor.newOwners) : ''}
      ${stat('Last use', usage.lastActionMs === null ? 'never' : time(usage.lastActionMs, nowMs))}
    </dl>
    ${rangeLinks(useRange, request)}
    ${useCharts(listing, range, nowMs)}
    ${table([`Coin, ${range} days`, ...numbers], usageByCoin.map(coinRow))}`;
}
