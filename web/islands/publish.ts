import { loadPart } from './api/load-part.ts';

/** The form is large, so it is loaded after the page is shown. */
await loadPart('Loading the form…', () => import('./publish/form.ts'));
