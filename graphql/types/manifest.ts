import { type OpFault, opFaultCodes } from '@adaptor-marketplace/adaptor/op';
import type { OpMisfit } from '@adaptor-marketplace/adaptor/op-faults';
import { builder } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { type ManifestHead, type Operation, withReasons } from '../manifests.ts';
import { networkEnum } from './enums.ts';

const opFaultType = builder.objectRef<OpFault>('OpFault').implement({
  description: 'Why an operation is not executable.',
  fields: (t) => ({
    code: t.exposeString('code', { description: `${opFaultCodes.join(', ')}; more may come.` }),
    detail: t.exposeString('detail', { description: 'Which field it is, and what is wrong with it.' }),
  }),
});

const operation = builder.objectRef<Operation>('Operation').implement({
  description: 'One operation of an adaptor. A field that is missing or wrong in the manifest is null.',
  fields: (t) => ({
    kind: t.exposeString('kind', { nullable: true }),
    module: t.exposeString('module', { nullable: true }),
    entry: t.exposeString('entry', { nullable: true, description: 'Function name.' }),
    label: t.exposeString('label', { nullable: true }),
    intentMode: t.exposeString('intentMode', { nullable: true }),
    call: t.expose('call', {
      type: 'JSON',
      nullable: true,
      description: 'How it is called; present exactly where it can be executed.',
    }),
    executable: t.boolean({ resolve: ({ reason }) => reason === null }),
    reason: t.expose('reason', {
      type: opFaultType,
      nullable: true,
      description: 'Present exactly where `executable` is false.',
    }),
  }),
});

/** A manifest by its hash: what is not asked for is not read. */
interface ManifestKey {
  hash: string;
  /** What the package adds to the faults of its ops. */
  misfits: readonly OpMisfit[];
}

/** Resolves a field that the manifest names, by a statement that all of them share. */
const named =
  <Key extends keyof ManifestHead>(key: Key) =>
  async ({ hash }: ManifestKey, _args: object, { manifests }: GraphContext): Promise<ManifestHead[Key]> =>
    (await manifests.head(hash))[key];

const byHead = { extensions: { statement: 'manifest head' } };
const optional = { ...byHead, nullable: true } as const;

export const manifestType = builder.objectRef<ManifestKey>('Manifest').implement({
  description: 'What the publisher says about the adaptor; its bytes match the hash in the registry.',
  fields: (t) => ({
    name: t.string({ ...byHead, resolve: named('name') }),
    category: t.string({
      ...byHead,
      description: '1 to 40 characters.',
      resolve: named('category'),
    }),
    summary: t.string({ ...byHead, resolve: named('summary') }),
    serviceType: t.string({ ...byHead, resolve: named('serviceType') }),
    packageId: t.string({ ...byHead, resolve: named('packageId') }),
    ops: t.field({
      type: [operation],
      extensions: { statement: 'manifest ops' },
      resolve: async ({ hash, misfits }, _, { manifests }) =>
        withReasons(await manifests.ops(hash), hash, misfits),
    }),
    supportedCoins: t.stringList({ ...optional, resolve: named('supportedCoins') }),
    feeBps: t.int({ ...optional, resolve: named('feeBps') }),
    feeRecipient: t.string({ ...optional, resolve: named('feeRecipient') }),
    integrator: t.string({ ...optional, resolve: named('integrator') }),
    networks: t.field({ ...optional, type: [networkEnum], resolve: named('networks') }),
    docsUrl: t.string({ ...optional, resolve: named('docsUrl') }),
    repoUrl: t.string({ ...optional, resolve: named('repoUrl') }),
    auditUrl: t.string({ ...optional, resolve: named('auditUrl') }),
    appUrl: t.string({ ...optional, resolve: named('appUrl') }),
    glyph: t.string({ ...optional, resolve: named('glyph') }),
    json: t.field({
      type: 'JSON',
      description: 'The whole manifest with the keys that this graph does not name: what the hash covers.',
      extensions: { statement: 'manifest' },
      resolve: ({ hash }, _, { manifests }) => manifests.whole(hash),
    }),
  }),
});
