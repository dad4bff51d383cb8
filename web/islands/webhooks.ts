import { loadPart } from './api/load-part.ts';

/** The portal of webhooks: all webhooks of an API key, or one webhook with its deliveries. */
await loadPart('Loading the form…', () =>
  document.querySelector('#webhook') ? import('./webhooks/one.ts') : import('./webhooks/list.ts'),
);
