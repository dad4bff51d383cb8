import { isSystemPackage } from '@adaptor-marketplace/adaptor/introspect';
import type { SourceVerdict } from '../db/queries/catalog/source-verdict.ts';
import { type NamedSource, type namedStates, readNamedSources } from '../db/queries/package-sources/named.ts';
import {
  type PackageSource,
  type ReachedPackage,
  readPackageSources,
  readReachedPackages,
} from '../db/queries/package-sources/read.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { adaptorNode } from './nodes.ts';

export const verdictEnum = builder.enumType('SourceVerdict', {
  description:
    'Result of comparing source with the code of a package. Verified code is not safe code: read it.',
  values: {
    EXACT: { value: 'exact', description: 'The source builds to the bytes on chain.' },
    SAME_CODE: {
      value: 'same_code',
      description: 'Other bytes, and the same step at each place of each function.',
    },
    SAME_BUT_ERROR_LINES: {
      value: 'same_but_error_lines',
      description: 'The same code, but aborts name other lines of the source.',
    },
    DIFFERS: { value: 'differs', description: 'The source is not the code on chain.' },
    NOT_BUILT: { value: 'not_built', description: 'The source does not build, for `reason`.' },
    PENDING: { value: 'pending', description: 'Offered, and not compared yet.' },
  } as const,
});

const sourceType = builder.objectRef<PackageSource>('PackageSource').implement({
  description:
    'The source that was offered for a package, with the best verdict. `GET /api/adaptors/{serviceType}/source` has its ' +
    'text and what differs.',
  fields: (t) => ({
    verdict: t.field({
      type: verdictEnum,
      description: 'Result of the comparison.',
      resolve: ({ verdict }) => verdict ?? 'pending',
    }),
    offer: t.exposeString('hash', { description: 'Lower-case hex sha256 of the offered text.' }),
    sourceHash: t.exposeString('sourceHash', {
      description:
        "Hash of the package's own build inputs, as Sui's source verification service computes it.",
    }),
    compiler: t.string({
      nullable: true,
      description: 'Version of Sui whose compiler gave the verdict. Null if nothing was built.',
      resolve: ({ report }) => report?.compiler,
    }),
    reason: t.string({
      nullable: true,
      description:
        'The reason of `NOT_BUILT`, or of the last attempt of `PENDING`. Escape it: it has text of the source.',
      resolve: ({ report, lastError }) => (report ? report.reason : lastError),
    }),
    verifiedAtMs: t.expose('verifiedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time of the comparison. Null until it is compared.',
    }),
  }),
});

const namedStateEnum = builder.enumType('NamedSourceState', {
  description: 'State of a commit that a manifest names.',
  values: {
    WAITING: { value: 'waiting', description: 'It is fetched later, and was not yet for `reason`.' },
    READ: { value: 'read', description: 'It was fetched and offered.' },
    FAILED: { value: 'failed', description: 'It is not fetched again, for `reason`.' },
  } satisfies Record<string, { value: (typeof namedStates)[number]; description: string }>,
});

const namedType = builder.objectRef<NamedSource>('NamedSource').implement({
  description: 'The commit that a manifest of a verified publisher named last for a package.',
  fields: (t) => ({
    repository: t.exposeString('repository', { description: 'The https url of a git repository.' }),
    commit: t.exposeString('commit', { description: 'Id of the commit, 40 hex digits.' }),
    path: t.exposeString('path', {
      nullable: true,
      description: 'Folder of the package. Null for the top one.',
    }),
    state: t.expose('state', { type: namedStateEnum, description: 'Result of its fetch.' }),
    offer: t.exposeString('offer', {
      nullable: true,
      description: 'The offer that was made of it, by its hash.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'The reason why the last attempt failed, and what to change. Escape it: it has text of the archive.',
    }),
    checkedAtMs: t.expose('checkedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time of the last attempt.',
    }),
    nextAttemptAtMs: t.expose('nextAttemptAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time of the next attempt. Null if there is none.',
    }),
  }),
});

/** Packages without verified source in an answer. */
const unverifiedMax = 10;

const verified: readonly (SourceVerdict | null)[] = ['exact', 'same_code', 'same_but_error_lines'];

const isVerified = ({ packageId, verdict }: ReachedPackage) =>
  isSystemPackage(packageId) || verified.includes(verdict);

const reachType = builder.objectRef<readonly ReachedPackage[]>('SourceReach').implement({
  description:
    "Packages that the certified functions of an adaptor's package can reach, itself included. Those of Sui's framework count as " +
    'verified by their addresses.',
  fields: (t) => ({
    packageCount: t.int({
      description: 'Number of packages. 0 until the package is certified.',
      resolve: (reached) => reached.length,
    }),
    verifiedCount: t.int({
      description: 'Number of packages whose source is verified.',
      resolve: (reached) => reached.filter(isVerified).length,
    }),
    unverified: t.stringList({
      description: `Ids of the others, at most ${unverifiedMax}.`,
      complexity: { field: 1, multiplier: unverifiedMax },
      resolve: (reached) =>
        reached
          .filter((one) => !isVerified(one))
          .slice(0, unverifiedMax)
          .map(({ packageId }) => packageId),
    }),
  }),
});

const loadSource = batched(readPackageSources);
const loadReached = batched(readReachedPackages);
const loadNamed = batched(readNamedSources);

builder.objectField(adaptorNode, 'packageSource', (t) =>
  t.field({
    type: sourceType,
    nullable: true,
    description: 'The source of its package. Null if none was offered.',
    extensions: { statement: 'package sources' },
    resolve: ({ network, packageId }, _, context) => loadSource(context, { network, packageId }),
  }),
);

builder.objectField(adaptorNode, 'sourceReach', (t) =>
  t.field({
    type: reachType,
    description: 'How much of the code that its functions can reach has verified source.',
    extensions: { statement: 'reached packages' },
    resolve: ({ network, packageId }, _, context) => loadReached(context, { network, packageId }),
  }),
);

builder.objectField(adaptorNode, 'namedSource', (t) =>
  t.field({
    type: namedType,
    nullable: true,
    description:
      'The commit that a manifest of a verified publisher named last for its package. Null without one.',
    extensions: { statement: 'named sources' },
    resolve: ({ network, packageId }, _, context) => loadNamed(context, { network, packageId }),
  }),
);
