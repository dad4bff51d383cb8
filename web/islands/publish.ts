/** The form is large, and all of this page: it is loaded after the page is shown. */
await import('./publish/form.ts');
