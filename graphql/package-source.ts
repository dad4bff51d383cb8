import { type PackageSource, readPackageSources } from '../db/queries/package-sources/read.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { adaptorNode } from './nodes.ts';

const verdictEnum = builder.enumType('SourceVerdict', {
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
  }),
});

const loadSource = batched(readPackageSources);

builder.objectField(adaptorNode, 'packageSource', (t) =>
  t.field({
    type: sourceType,
    nullable: true,
    description: 'The source of its package. Null if none was offered.',
    extensions: { statement: 'package sources' },
    resolve: ({ network, packageId }, _, context) => loadSource(context, { network, packageId }),
  }),
);
