export * from './catalog.ts';
export * from './events.ts';
export * from './manifests.ts';
export * from './registry.ts';
export * from './sources.ts';
