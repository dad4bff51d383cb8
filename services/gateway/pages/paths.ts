/** The pages beside `/`, and the files that they load. */
export const pagePaths = [
  '/docs',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/start.js',
  '/docs/page.css',
  '/favicon.ico',
  '/favicon.svg',
] as const;
