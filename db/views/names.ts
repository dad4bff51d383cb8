import { readFileSync } from 'node:fs';

const definitions = readFileSync(new URL('./analytics.sql', import.meta.url), 'utf8');

/** The views of the schema `analytics`. */
export const analyticsViews: ReadonlySet<string> = new Set(
  [...definitions.matchAll(/^create view analytics\.(\w+)/gm)].map(([, name]) => name!),
);
