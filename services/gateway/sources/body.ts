import { networks } from '@adaptor-marketplace/adaptor';
import { isSystemPackage } from '@adaptor-marketplace/adaptor/introspect';
import { z } from 'zod';
import { sourceVerdicts } from '../../../db/queries/catalog/source-verdict.ts';
import { namedStates, readNamedSources } from '../../../db/queries/package-sources/named.ts';
import { type PackageSource, readReachedPackages } from '../../../db/queries/package-sources/read.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { readStatements, statementsMax } from '../../../db/queries/statements.ts';
import { statementWords } from '../../../graphql/statements.ts';
import type { StatementField } from '../../../lib/config/attesters.ts';
import { problem } from '../../../lib/errors/index.ts';
import { atMs, manifestHash, packageId } from '../openapi/parts.ts';
import { readTexts } from './texts.ts';

const moduleSchema = z
  .object({
    module: z.string(),
    verdict: z.enum(sourceVerdicts).meta({ description: 'Verdict of the module.' }),
    differenceCount: z.int().min(0),
    differences: z
      .array(
        z
          .object({
            declaration: z.string().meta({ description: 'The function or the type that differs.' }),
            onChain: z.string().meta({ description: 'The first difference, as it is on chain.' }),
            built: z.string().meta({ description: 'The same place, as the source builds.' }),
          })
          .meta({ id: 'CodeDifference' }),
      )
      .meta({ description: 'At most 100, and those of all modules within 256 KiB. Escape their text.' }),
  })
  .meta({ id: 'ComparedModule', description: 'A module that the package and the source have.' });

const statedText = (field: StatementField) =>
  z
    .string()
    .nullable()
    .meta({ description: `${statementWords[field]} Null if the object has none.` });

const statedTexts = {
  summary: statedText('summary'),
  repository: statedText('repository'),
  commit: statedText('commit'),
  path: statedText('path'),
  sourceHash: statedText('sourceHash'),
  report: statedText('report'),
  issuer: statedText('issuer'),
};

/** Fields of a response about the source of a package. */
export const packageSourceShape = {
  network: z.enum(networks),
  packageId: z.string().meta({ description: 'The package, one version of it.' }),
  verdict: z.enum([...sourceVerdicts, 'pending', 'not_offered']).meta({
    description:
      '`exact`: the source builds to the bytes on chain. `same_code`: other bytes, and the same step at each place of each ' +
      'function. `same_but_error_lines`: also, but aborts name other lines. `differs`: other code. `not_built`: it does not ' +
      'build, for `reason`. `pending`: offered, and not compared yet. `not_offered`: no source. Verified code is not safe ' +
      'code: read it.',
  }),
  offer: z.string().nullable().meta({
    description:
      'Lower-case hex sha256 of the offered text, with that of local dependencies. Null if none was offered.',
  }),
  sourceHash: z.string().nullable().meta({
    description: "Hash of the package's own build inputs, as Sui's source verification service computes it.",
  }),
  compiler: z.string().nullable().meta({
    description: 'Version of Sui whose compiler gave the verdict. Null if nothing was built.',
  }),
  reason: z.string().nullable().meta({
    description:
      'The reason of `not_built`, or of the last attempt of `pending`. Escape it: it has text of the source.',
  }),
  modules: z.array(moduleSchema),
  missing: z.array(z.string()).meta({ description: 'Modules on chain that the source does not have.' }),
  extra: z.array(z.string()).meta({ description: 'Modules of the source that are not on chain.' }),
  dependencies: z
    .array(z.object({ name: z.string(), packageId: z.string() }).meta({ id: 'SourceDependency' }))
    .meta({
      description: "Packages that the source's dependencies stand for. Each is verified by its own source.",
    }),
  reaches: z
    .array(
      z
        .object({
          packageId: z.string(),
          verdict: z.enum([...sourceVerdicts, 'framework', 'not_offered']),
        })
        .meta({ id: 'ReachedPackage' }),
    )
    .meta({
      description:
        'Packages that the certified functions can reach, itself included, with the verdicts of their source. `framework`: ' +
        'a package of Sui, known by its address. Empty until the package is certified.',
    }),
  named: z
    .object({
      repository: z.string().meta({ description: 'The https url of a git repository.' }),
      commit: z.string().meta({ description: 'Id of the commit, 40 hex digits.' }),
      path: z.string().nullable().meta({ description: 'Folder of the package. Null for the top one.' }),
      state: z.enum(namedStates).meta({
        description:
          '`waiting`: it is fetched later, and was not yet for `reason`. `read`: it was fetched and offered, as `offer`. `failed`: ' +
          'it is not fetched again, for `reason`.',
      }),
      offer: z.string().nullable().meta({ description: 'The offer that was made of it, by its hash.' }),
      reason: z.string().nullable().meta({
        description:
          'The reason why the last attempt failed, and what to change. Escape it: it has text of the archive.',
      }),
      checkedAtMs: z.int().nullable().meta({ description: 'Time of the last attempt.' }),
      nextAttemptAtMs: z.int().nullable().meta({
        description: 'Time of the next attempt. Null if there is none.',
      }),
    })
    .nullable()
    .meta({
      id: 'NamedSource',
      description:
        'The commit that a manifest of a verified publisher named last for the package. Null without one.',
    }),
  statements: z
    .array(
      z
        .object({
          objectId: z.string().meta({ description: 'The object on chain.' }),
          attester: z.string().meta({ description: "Name of the attester in the operator's list." }),
          type: z.string().meta({ description: 'Type of its data, which identifies the attester.' }),
          says: z.string().meta({ description: "The operator's words for what its statements say." }),
          ...statedTexts,
          readAtMs: z.int().meta({ description: 'Time at which the object was read last.' }),
        })
        .meta({ id: 'Statement' }),
    )
    .meta({
      description:
        `Statements in force, at most ${statementsMax}: objects on chain by which attesters of the operator's list state ` +
        "something about the package. They are the attesters' word, and the service does not check them. Escape their texts.",
    }),
  offeredAtMs: z.int().nullable(),
  verifiedAtMs: z.int().nullable(),
  folder: z.string().nullable().meta({
    description: "The package's own folder among the files. Null without `include=files` or `file`.",
  }),
  files: z.array(z.object({ path: z.string(), bytes: z.int().min(0) }).meta({ id: 'SourceFile' })).meta({
    description:
      'Files of the source, with those of local dependencies. Empty without `include=files` or `file`.',
  }),
  text: z.string().nullable().meta({
    description:
      'Text of the file that `file` names. It is the text of a stranger: escape it. Null without `file`.',
  }),
};

/** Query for the text of source. */
export const sourceQuery = {
  include: z
    .enum(['report', 'files'])
    .optional()
    .meta({ description: '`files`: also the list of files. Default: `report` alone.' }),
  file: z.string().min(1).max(600).optional().meta({
    description: 'Path of a file whose text the answer has, up to 1 MiB.',
  }),
};

interface SourceRequest {
  network: (typeof networks)[number];
  packageId: string;
  source: PackageSource | undefined;
  query: { include?: 'report' | 'files' | undefined; file?: string | undefined };
}

/** Reads what a response says about a package's source. @throws ProblemError 404 `file_not_found` */
export async function renderSource(db: Queryable, { network, packageId, source, query }: SourceRequest) {
  const [reached = []] = await readReachedPackages(db, [{ network, packageId }]);
  const [named = null] = await readNamedSources(db, [{ network, packageId }]);
  const [statements = []] = await readStatements(db, [{ network, packageId }]);
  const report = source?.report;
  return {
    network,
    packageId,
    verdict: source ? (source.verdict ?? 'pending') : 'not_offered',
    offer: source?.hash ?? null,
    sourceHash: source?.sourceHash ?? null,
    compiler: report?.compiler ?? null,
    reason: report ? report.reason : (source?.lastError ?? null),
    modules: report?.modules ?? [],
    missing: report?.missing ?? [],
    extra: report?.extra ?? [],
    dependencies: report?.dependencies ?? [],
    reaches: reached.map(({ packageId: id, verdict }) => ({
      packageId: id,
      verdict: isSystemPackage(id) ? 'framework' : (verdict ?? 'not_offered'),
    })),
    named,
    statements,
    offeredAtMs: source?.offeredAtMs ?? null,
    verifiedAtMs: source?.verifiedAtMs ?? null,
    ...(await readFiles(db, source, query)),
  };
}

async function readFiles(
  db: Queryable,
  source: PackageSource | undefined,
  { include, file }: SourceRequest['query'],
) {
  const content =
    source && (include === 'files' || file !== undefined) ? await readTexts(db, source.hash) : undefined;
  if (!content && file === undefined) return { folder: null, files: [], text: null };
  const { folder, texts } = content ?? { folder: '', texts: new Map<string, string>() };
  const text = file === undefined ? null : texts.get(file);
  if (text === undefined)
    throw problem('file_not_found', `The source has no file ${JSON.stringify(file)}. See \`include=files\`.`);
  const files = [...texts].map(([path, content]) => ({ path, bytes: Buffer.byteLength(content) }));
  return { folder, files, text };
}

/** A response about a package whose source is exact. */
export const exampleSource = {
  network: 'testnet',
  packageId,
  verdict: 'exact',
  offer: manifestHash,
  sourceHash: manifestHash,
  compiler: '1.71.1',
  reason: null,
  modules: [{ module: 'tip_jar', verdict: 'exact', differenceCount: 0, differences: [] }],
  missing: [],
  extra: [],
  dependencies: [],
  reaches: [{ packageId, verdict: 'exact' }],
  named: {
    repository: 'https://github.com/reef/contracts',
    commit: '0123456789abcdef0123456789abcdef01234567',
    path: 'tip_jar',
    state: 'read',
    offer: manifestHash,
    reason: null,
    checkedAtMs: atMs,
    nextAttemptAtMs: null,
  },
  statements: [
    {
      objectId: packageId,
      attester: 'Demo auditor',
      type: `${packageId}::audit::Audit`,
      says: 'It audited this version of the package.',
      summary: 'No finding of high or medium severity is open.',
      repository: 'https://git.example/adaptors',
      commit: '0123456789abcdef0123456789abcdef01234567',
      path: null,
      sourceHash: null,
      report: 'https://audits.example/tip_jar',
      issuer: null,
      readAtMs: atMs,
    },
  ],
  offeredAtMs: atMs,
  verifiedAtMs: atMs,
  folder: null,
  files: [],
  text: null,
};
