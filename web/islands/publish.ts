/** The form is large, so it is loaded after the page is shown. */
await import('./publish/form.ts');
