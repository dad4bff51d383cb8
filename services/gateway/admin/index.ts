import { listHostConfirmations } from './confirmations.ts';
import { getDispatcher } from './dispatcher.ts';
import { listHostListings } from './listings.ts';
import { listHostRuns } from './runs.ts';
import { listSettings } from './settings.ts';

/** What the operator of a host looks at. */
export const adminRoutes = [
  listHostRuns,
  listHostListings,
  listHostConfirmations,
  getDispatcher,
  listSettings,
];
