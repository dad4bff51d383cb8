import type { Route } from '../../lib/http/route.ts';
import type { AgentDependencies } from './agent/forward.ts';
import { operatorRoutes } from './agent/operator.ts';
import { runRoutes } from './agent/runs.ts';
import { sessionRoutes } from './agent/sessions.ts';
import { type CatalogDependencies, listAdaptors } from './catalog/route.ts';
import { getAdaptorSchemas, type SchemaDependencies } from './catalog/schema-route.ts';
import { listEvents } from './events/list.ts';
import { type StreamDependencies, streamEvents } from './events/stream.ts';
import { type KeyDependencies, keyRoutes } from './keys/routes.ts';
import { type DescriptionDependencies, getOpenApi } from './openapi/document.ts';
import {
  getHealth,
  getMetrics,
  getReadiness,
  getStatus,
  type HealthDependencies,
} from './operations/health.ts';
import { type DocsDependencies, docsRoutes } from './pages/docs.ts';
import { errorRoutes } from './pages/errors.ts';
import { landingRoute } from './pages/landing.ts';
import { iconRoutes } from './pages/page.ts';
import { type DraftDependencies, draftListing } from './publish/draft.ts';
import { inferCall } from './publish/infer.ts';
import { introspectPackage } from './publish/introspect.ts';
import { findEscrowJobs, listAgentServices } from './reads/agents-and-jobs.ts';
import { type DelegationDependencies, listDelegations } from './reads/delegations.ts';
import { listPolicyRules } from './reads/policy-rules.ts';
import { vaultRoutes } from './reads/vault.ts';
import {
  type DeliveryDependencies,
  type DispatchDependencies,
  deliveryRoutes,
  dispatchWebhooks,
} from './webhooks/deliveries.ts';
import { subscriptionRoutes } from './webhooks/subscriptions.ts';

/** What the routes need of the process, taken together. */
export type GatewayDependencies = AgentDependencies &
  DescriptionDependencies &
  DocsDependencies &
  DelegationDependencies &
  DeliveryDependencies &
  DispatchDependencies &
  StreamDependencies &
  CatalogDependencies &
  SchemaDependencies &
  DraftDependencies &
  HealthDependencies &
  KeyDependencies;

/** Every route of the gateway: what the router serves, and what the OpenAPI document is made of. */
export const routes: readonly Route<GatewayDependencies>[] = [
  listAdaptors,
  getAdaptorSchemas,
  getOpenApi,
  ...keyRoutes,
  // Before the routes of one webhook, whose id it is not.
  dispatchWebhooks,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  introspectPackage,
  inferCall,
  draftListing,
  listEvents,
  streamEvents,
  ...vaultRoutes,
  listDelegations,
  listPolicyRules,
  listAgentServices,
  findEscrowJobs,
  ...runRoutes,
  ...sessionRoutes,
  ...operatorRoutes,
  getHealth,
  getReadiness,
  getStatus,
  getMetrics,
  ...errorRoutes,
  landingRoute,
  ...docsRoutes,
  ...iconRoutes,
];
