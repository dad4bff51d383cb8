import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import {
  type ManifestSource,
  type ManifestWarning,
  manifestWarningCodes,
  type OpFault,
  opFaultCodes,
} from '@adaptor-marketplace/adaptor/manifest';
import { builder, chainEnum, type GraphContext, networkEnum, nullable } from './builder.ts';
import { type CheckedOps, type ManifestHead, type Operation, withChecked } from './manifests.ts';
import { publisherProfileType } from './profile.ts';

export const witnessWarningType = builder.objectRef<WitnessWarning>('WitnessWarning').implement({
  description: 'A reason not to grant to a witness.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        '`witness_returned`, `witness_has_more_than_drop`, `witness_not_usable` or `witness_unchecked`. Others may be added.',
    }),
    detail: t.exposeString('detail', { description: 'Explanation, and what to do.' }),
  }),
});

export const manifestWarningType = builder.objectRef<ManifestWarning>('ManifestWarning').implement({
  description: 'A field of a manifest that is shown otherwise than it was published.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: `One of ${manifestWarningCodes.join(', ')}. Others may be added.`,
    }),
    path: t.exposeString('path', {
      description: 'Path in the published manifest, such as `docsUrl` or `ops.0.kind`.',
    }),
    detail: t.exposeString('detail', { description: 'What is odd about the field, and what is shown.' }),
  }),
});

const manifestSourceType = builder.objectRef<ManifestSource>('ManifestSource').implement({
  description: 'A commit that has the source of the package, as the publisher says. Nothing of it is proven.',
  fields: (t) => ({
    repository: t.exposeString('repository', { description: 'The https url of a git repository.' }),
    commit: t.exposeString('commit', { description: 'Id of the commit, 40 hex digits.' }),
    path: t.exposeString('path', nullable('Folder of the package. Null for the top folder.')),
  }),
});

const opFaultType = builder.objectRef<OpFault>('OpFault').implement({
  description: 'Why an operation is not executable.',
  fields: (t) => ({
    code: t.exposeString('code', { description: `One of ${opFaultCodes.join(', ')}. Others may be added.` }),
    detail: t.exposeString('detail', { description: 'The field, and what is wrong with it.' }),
  }),
});

export const operationType = builder.objectRef<Operation>('Operation').implement({
  description: 'An operation of an adaptor. A field that is missing or invalid in the manifest is null.',
  fields: (t) => ({
    kind: t.exposeString('kind', nullable('What it does: `swap`, `lend`, `stake`, `pay` or `custom`.')),
    module: t.exposeString('module', nullable('Module of the function.')),
    entry: t.exposeString('entry', nullable('Function name.')),
    label: t.exposeString('label', nullable('Name for people.')),
    intentMode: t.exposeString('intentMode', nullable('How a wallet states what it wants of the operation.')),
    call: t.expose('call', {
      type: 'JSON',
      nullable: true,
      description: 'How to call the function. Null if the operation is not executable, or is several calls.',
    }),
    calls: t.expose('calls', {
      type: 'JSON',
      nullable: true,
      description: 'How to call its functions, in order, if it is several calls. Null if it is not.',
    }),
    coinIn: t.exposeString(
      'coinIn',
      nullable(
        'Type of the coin that leaves the wallet, if the objects that the operation fixes settle it: a call with another coin fails.',
      ),
    ),
    coinOut: t.exposeString('coinOut', nullable('Type of the coin that enters the wallet, likewise.')),
    executable: t.boolean({
      description: 'Whether an agent can execute it.',
      resolve: ({ reason }) => reason === null,
    }),
    reason: t.expose('reason', {
      type: opFaultType,
      nullable: true,
      description: 'Why it is not executable. Null if it is.',
    }),
  }),
});

/** A manifest by its hash. Its fields load only the parts that a query requests. */
interface ManifestKey extends CheckedOps {
  hash: string;
}

type Awaitable<T> = T | Promise<T>;

/** Resolves a field of the manifest's head. All of them share one statement. */
const fromHead =
  <Key extends keyof ManifestHead>(key: Key) =>
  ({ hash }: ManifestKey, _: object, { manifests }: GraphContext): Awaitable<ManifestHead[Key]> =>
    manifests.field(hash, key);

type TextKey = 'name' | 'category' | 'summary' | 'serviceType' | 'packageId';
type OptionalTextKey =
  | 'feeRecipient'
  | 'integrator'
  | 'docsUrl'
  | 'repoUrl'
  | 'auditUrl'
  | 'appUrl'
  | 'glyph'
  | 'deprecated'
  | 'successor';

const byHead = { extensions: { statement: 'manifest head' } };
const optional = { ...byHead, nullable: true } as const;

export const manifestType = builder.objectRef<ManifestKey>('Manifest').implement({
  description:
    'The description of the adaptor by its publisher. `json` has the hash in the registry. Odd fields are shown otherwise, ' +
    'and `manifestWarnings` of the adaptor names them.',
  fields: (t) => {
    const text = <Key extends TextKey>(key: Key, description: string) =>
      t.string({ ...byHead, description, resolve: fromHead(key) });
    const optionalText = <Key extends OptionalTextKey>(key: Key, description: string) =>
      t.string({ ...optional, description, resolve: fromHead(key) });
    return {
      name: text('name', 'Name for people.'),
      category: text('category', 'What it is for, such as `Swap` or `Lend`: 1 to 40 characters.'),
      summary: text('summary', 'What it does, in a sentence.'),
      serviceType: text('serviceType', 'Type of the witness, which wallets grant to.'),
      packageId: text('packageId', 'Package that the operations call.'),
      ops: t.field({
        type: [operationType],
        description: 'Its operations.',
        extensions: { statement: 'manifest ops' },
        resolve: async ({ hash, ...checked }, _, { manifests }) =>
          withChecked(await manifests.ops(hash), hash, checked),
      }),
      supportedCoins: t.stringList({
        ...optional,
        description: 'Coin types that it takes. `*` stands for any.',
        resolve: fromHead('supportedCoins'),
      }),
      feeBps: t.int({
        ...optional,
        description: 'Fee in hundredths of a percent.',
        resolve: fromHead('feeBps'),
      }),
      feeRecipient: optionalText('feeRecipient', 'Address that gets the fee.'),
      integrator: optionalText('integrator', 'Id of the partner that the listing is attributed to.'),
      networks: t.field({
        ...optional,
        type: [networkEnum],
        description: 'Networks that the publisher names.',
        deprecationReason: 'Use `chains`, whose values are in capitals.',
        resolve: fromHead('networks'),
      }),
      chains: t.field({
        ...optional,
        type: [chainEnum],
        description: 'Networks that the publisher names.',
        resolve: fromHead('networks'),
      }),
      docsUrl: optionalText('docsUrl', 'Address of the documentation.'),
      repoUrl: optionalText('repoUrl', 'Address of the source code.'),
      auditUrl: optionalText('auditUrl', 'Address of an audit report.'),
      appUrl: optionalText('appUrl', 'Address of the application.'),
      glyph: optionalText('glyph', 'Its icon.'),
      profile: t.field({
        ...optional,
        type: publisherProfileType,
        description: 'What the publisher says about itself.',
        resolve: fromHead('profile'),
      }),
      source: t.field({
        ...optional,
        type: manifestSourceType,
        description:
          'Where the source of the package is. `packageSource` of the adaptor compares what was read from there.',
        resolve: fromHead('source'),
      }),
      deprecated: optionalText(
        'deprecated',
        'Why new wallets should not begin to use it. Null if it is not deprecated.',
      ),
      successor: optionalText(
        'successor',
        'Service type of the adaptor to use instead. It counts only beside `deprecated`.',
      ),
      json: t.field({
        type: 'JSON',
        description: 'The whole manifest as published and hashed, with the keys that have no field here.',
        extensions: { statement: 'manifest' },
        resolve: ({ hash }, _, { manifests }) => manifests.whole(hash),
      }),
    };
  },
});
