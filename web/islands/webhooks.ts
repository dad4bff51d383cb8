/** The portal of webhooks: all of an API key, or one with its deliveries. */
if (document.querySelector('#webhook')) import('./webhooks/one.ts');
else import('./webhooks/list.ts');
