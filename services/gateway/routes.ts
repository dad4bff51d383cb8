import type { Route } from '../../lib/http/route.ts';
import { type KeyDependencies, keyRoutes } from './keys/routes.ts';
import { type DescriptionDependencies, getOpenApi } from './openapi/route.ts';
import { getHealth, getMetrics, getReadiness, type HealthDependencies } from './operations/health.ts';
import { getStatus } from './operations/status.ts';
import { type DocsDependencies, docsRoutes } from './pages/docs.ts';
import { iconRoutes } from './pages/icon.ts';
import { landingRoute } from './pages/landing.ts';

/** What the routes need of the process, taken together. */
export type GatewayDependencies = DescriptionDependencies &
  DocsDependencies &
  HealthDependencies &
  KeyDependencies;

/** Every route of the gateway: what the router serves, and what the OpenAPI document is made of. */
export const routes: readonly Route<GatewayDependencies>[] = [
  getOpenApi,
  ...keyRoutes,
  getHealth,
  getReadiness,
  getStatus,
  getMetrics,
  landingRoute,
  ...docsRoutes,
  ...iconRoutes,
];
