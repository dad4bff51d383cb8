/** The portal of webhooks: all webhooks of an API key, or one webhook with its deliveries. */
if (document.querySelector('#webhook')) import('./webhooks/one.ts');
else import('./webhooks/list.ts');
