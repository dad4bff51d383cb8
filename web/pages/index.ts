import type { GraphPage } from '../frame/page.ts';
import { adaptorPage } from './adaptor.ts';
import { agentPage, agentsPage } from './agents.ts';
import { catalogPage } from './catalog.ts';
import { checkPage } from './check.ts';
import { checkSourcePage } from './check-source.ts';
import { comparePage } from './compare.ts';
import { grantPage } from './grant.ts';
import { hirePage } from './hire.ts';
import { jobPage, jobsPage } from './jobs.ts';
import { publisherPage } from './publisher.ts';
import { reportPage } from './report.ts';
import { reviewPage } from './review.ts';
import { walletPage } from './wallet.ts';

export { operatorPage, operatorPaths } from './operator.ts';
export { publishPage } from './publish.ts';
export { runPage, runsPage } from './runs.ts';

/** Pages whose data is a GraphQL query. The gateway serves each at its path. */
export const graphPages: readonly GraphPage[] = [
  catalogPage,
  adaptorPage,
  checkPage,
  checkSourcePage,
  comparePage,
  publisherPage,
  agentsPage,
  agentPage,
  jobsPage,
  // Before `/jobs/:jobId`, which would match its path.
  hirePage,
  jobPage,
  walletPage,
  grantPage,
  reportPage,
  reviewPage,
];
