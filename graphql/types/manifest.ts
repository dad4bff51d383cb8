import type { Manifest } from '../../lib/adaptor/manifest.ts';
import { builder } from '../builder.ts';
import { categoryEnum, networkEnum } from './enums.ts';

/** Manifests keep keys that nobody has named; the graph has fields for the others. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

const operation = builder.objectRef<Named<Manifest['ops'][number]>>('Operation').implement({
  description: 'One operation of an adaptor.',
  fields: (t) => ({
    kind: t.exposeString('kind'),
    module: t.exposeString('module'),
    entry: t.exposeString('entry', { description: 'Function name.' }),
    label: t.exposeString('label', { nullable: true }),
    intentMode: t.exposeString('intentMode', { nullable: true }),
    call: t.expose('call', {
      type: 'JSON',
      nullable: true,
      description: 'How it is called; present exactly where it can be executed.',
    }),
  }),
});

export const manifestType = builder.objectRef<Named<Manifest>>('Manifest').implement({
  description: 'What the publisher says about the adaptor; its bytes match the hash in the registry.',
  fields: (t) => ({
    name: t.exposeString('name'),
    category: t.expose('category', { type: categoryEnum }),
    summary: t.exposeString('summary'),
    serviceType: t.exposeString('serviceType'),
    packageId: t.exposeString('packageId'),
    ops: t.expose('ops', { type: [operation] }),
    supportedCoins: t.exposeStringList('supportedCoins', { nullable: true }),
    feeBps: t.exposeInt('feeBps', { nullable: true }),
    feeRecipient: t.exposeString('feeRecipient', { nullable: true }),
    integrator: t.exposeString('integrator', { nullable: true }),
    networks: t.expose('networks', { type: [networkEnum], nullable: true }),
    docsUrl: t.exposeString('docsUrl', { nullable: true }),
    repoUrl: t.exposeString('repoUrl', { nullable: true }),
    auditUrl: t.exposeString('auditUrl', { nullable: true }),
    appUrl: t.exposeString('appUrl', { nullable: true }),
    glyph: t.exposeString('glyph', { nullable: true }),
    json: t.field({
      type: 'JSON',
      description: 'The whole manifest with the keys that this graph does not name: what the hash covers.',
      resolve: (manifest) => manifest,
    }),
  }),
});
