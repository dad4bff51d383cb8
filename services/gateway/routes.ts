import type { Route } from '../../lib/http/route.ts';
import {
  graphPages,
  operatorPage,
  operatorPaths,
  publishPage,
  runPage,
  runsPage,
} from '../../web/pages/index.ts';
import { type KeyDependencies, keyRoutes } from './access/keys.ts';
import { type PortalSessionDependencies, portalSessionRoutes } from './access/portal-session.ts';
import type { AgentDependencies } from './agent/forward.ts';
import { operatorRoutes } from './agent/operator.ts';
import { runRoutes } from './agent/runs.ts';
import { sessionRoutes } from './agent/sessions.ts';
import { updateRoutes } from './agent/updates.ts';
import { listingRoutes } from './catalog/listing-routes.ts';
import { type CatalogDependencies, listAdaptors } from './catalog/route.ts';
import { getAdaptorSchemas, type SchemaDependencies } from './catalog/schema-route.ts';
import { listEvents, type StreamDependencies, streamEvents } from './events/events.ts';
import { serviceEventRoutes } from './events/service-events.ts';
import { type ExplainDependencies, explainTransaction } from './explain/route.ts';
import { explorerRoutes } from './graphql/graphiql.ts';
import { documentRoutes } from './machines/documents.ts';
import { type OriginDependencies, wellKnownRoutes } from './machines/well-known.ts';
import { type DescriptionDependencies, getOpenApi } from './openapi/document.ts';
import {
  getHealth,
  getMetrics,
  getReadiness,
  getStatus,
  type HealthDependencies,
} from './operations/health.ts';
import { hiddenPictureRoutes } from './operations/hidden-pictures.ts';
import { hiddenTextRoutes } from './operations/hidden-texts.ts';
import { type HostDependencies, hostRoutes } from './operations/host.ts';
import { quarantineRoutes } from './operations/quarantines.ts';
import { reportRoutes } from './operations/reports.ts';
import { docsRoutes, type ReferenceDependencies } from './pages/docs.ts';
import { errorRoutes } from './pages/errors.ts';
import { feedRoutes } from './pages/feeds.ts';
import { pictureRoutes } from './pages/fetched-picture.ts';
import { graphSchemaRoute } from './pages/graph-schema.ts';
import { guideRoutes } from './pages/guides.ts';
import { iconRoutes } from './pages/page.ts';
import {
  assetRoute,
  catalogPictureRoute,
  createGraphPageRoute,
  createSessionRoute,
  createSiteRoute,
  pictureRoute,
  type SiteDependencies,
  samplePackageRoute,
} from './pages/site.ts';
import { type SqlPageDependencies, sqlPageRoutes } from './pages/sql.ts';
import { webhookPageRoutes } from './pages/webhooks.ts';
import { type DraftDependencies, draftListing } from './publish/draft.ts';
import { inferCall } from './publish/infer.ts';
import { introspectPackage } from './publish/introspect.ts';
import { createReviewText } from './publish/review-text.ts';
import { findEscrowJobs, listAgentServices } from './reads/agents-and-jobs.ts';
import { type DelegationDependencies, listDelegations } from './reads/delegations.ts';
import { listPolicyRules } from './reads/policy-rules.ts';
import { vaultRoutes } from './reads/vault.ts';
import { type SourceDependencies, sourceRoutes } from './sources/offer.ts';
import { sourcePageRoute } from './sources/page.ts';
import { getSqlSchema, runSql } from './sql/route.ts';
import {
  type DeliveryDependencies,
  type DispatchDependencies,
  deliveryRoutes,
  webhooksRoutes,
} from './webhooks/deliveries.ts';
import { subscriptionRoutes } from './webhooks/subscriptions.ts';

export type GatewayDependencies = AgentDependencies &
  SiteDependencies &
  DescriptionDependencies &
  ReferenceDependencies &
  DelegationDependencies &
  DeliveryDependencies &
  DispatchDependencies &
  StreamDependencies &
  CatalogDependencies &
  SchemaDependencies &
  DraftDependencies &
  ExplainDependencies &
  HealthDependencies &
  KeyDependencies &
  HostDependencies &
  PortalSessionDependencies &
  OriginDependencies &
  SourceDependencies &
  SqlPageDependencies;

/** Every route of the gateway. The router serves them, and the OpenAPI document is made from them. */
export const routes: readonly Route<GatewayDependencies>[] = [
  listAdaptors,
  getAdaptorSchemas,
  getOpenApi,
  ...keyRoutes,
  ...portalSessionRoutes,
  ...hostRoutes,
  ...quarantineRoutes,
  ...hiddenPictureRoutes,
  ...hiddenTextRoutes,
  ...reportRoutes,
  ...webhooksRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  introspectPackage,
  inferCall,
  draftListing,
  createReviewText,
  explainTransaction,
  listEvents,
  streamEvents,
  ...serviceEventRoutes,
  ...sourceRoutes,
  ...listingRoutes,
  ...vaultRoutes,
  listDelegations,
  listPolicyRules,
  listAgentServices,
  findEscrowJobs,
  ...runRoutes,
  ...sessionRoutes,
  ...updateRoutes,
  ...operatorRoutes,
  runSql,
  getSqlSchema,
  getHealth,
  getReadiness,
  getStatus,
  getMetrics,
  ...errorRoutes,
  ...graphPages.map(createGraphPageRoute),
  sourcePageRoute,
  assetRoute,
  ...feedRoutes,
  pictureRoute,
  catalogPictureRoute,
  ...pictureRoutes,
  ...guideRoutes,
  createSiteRoute('/publish', publishPage),
  createSessionRoute('/runs', runsPage),
  createSessionRoute('/runs/:runId', runPage),
  ...webhookPageRoutes,
  ...sqlPageRoutes,
  ...operatorPaths.map((path) =>
    createSessionRoute(path, (request, { kv, adminSecret }: PortalSessionDependencies) =>
      operatorPage(request, { hasStore: kv !== undefined, hasAdminSecret: adminSecret !== undefined }),
    ),
  ),
  samplePackageRoute,
  graphSchemaRoute,
  ...explorerRoutes,
  ...docsRoutes,
  ...documentRoutes,
  ...wellKnownRoutes,
  ...iconRoutes,
];
