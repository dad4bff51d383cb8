import { registryEvents } from '../../../../lib/chain/events/registry.ts';
import type { GeneratedChain } from '../chain.ts';
import { expectedMarket } from './oracle.ts';

type Place = [checkpoint: number, txIndex: number, eventIndex: number];

const isBefore = (a: Place, b: Place) => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;

export interface Reviews {
  serviceType: string;
  reviews: number;
  verified: number;
  /** Of the verified ones, rounded to two decimals; null without any. */
  verifiedAverage: string | null;
}

/** The reviews of each registered service, counted straight from the chain's events. */
export function expectedReviews(chain: GeneratedChain): Reviews[] {
  const registered = new Map<string, Place>();
  const latest = new Map<string, Map<string, { place: Place; score: number }>>();
  for (const { checkpoint, txIndex, events } of chain.transactions) {
    for (const [eventIndex, { type, contents }] of events.entries()) {
      const place: Place = [checkpoint, txIndex, eventIndex];
      if (type === `${chain.registryPackageId}::registry::Registered`) {
        const { serviceType } = registryEvents.decode('Registered', contents);
        if (!registered.has(serviceType)) registered.set(serviceType, place);
      } else if (type === `${chain.registryPackageId}::registry::Attested`) {
        const { serviceType, attester, score } = registryEvents.decode('Attested', contents);
        if (!latest.has(serviceType)) latest.set(serviceType, new Map());
        if (registered.has(serviceType)) latest.get(serviceType)!.set(attester, { place, score });
      }
    }
  }
  const firstActions = new Map(
    expectedMarket(chain).service_actors.map((row): [string, Place] => [
      `${row.service_type} ${row.actor}`,
      [row.checkpoint as number, row.tx_index as number, row.event_index as number],
    ]),
  );
  return [...registered.keys()].sort().map((serviceType) => {
    const reviews = [...(latest.get(serviceType) ?? [])];
    const scores = reviews.flatMap(([attester, { place, score }]) => {
      const first = firstActions.get(`${serviceType} ${attester}`);
      return first && isBefore(first, place) ? [score] : [];
    });
    const sum = scores.reduce((total, score) => total + score, 0);
    const verifiedAverage = scores.length === 0 ? null : (sum / scores.length).toFixed(2);
    return { serviceType, reviews: reviews.length, verified: scores.length, verifiedAverage };
  });
}
