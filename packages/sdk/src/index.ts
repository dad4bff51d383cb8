export { ActionError, collectBounds } from './actions.ts';
export { ConnectionError, type FieldError, GraphError, MarketplaceError } from './errors.ts';
export type { EventsOptions } from './events.ts';
export type * from './generated/types.gen.ts';
export {
  type CatalogQuery,
  createMarketplace,
  type Marketplace,
  type MarketplaceCalls,
} from './marketplace.ts';
export { pages } from './paging.ts';
export type { MarketplaceOptions } from './requests.ts';
export type { SourceOfferRequest } from './sources.ts';
export { verifyWebhook, type WebhookDelivery, WebhookError, type WebhookEvent } from './webhooks.ts';
