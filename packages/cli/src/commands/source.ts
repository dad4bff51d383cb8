import { z } from 'zod';
import { parseResponse } from '../api.ts';
import type { Io } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  createApiCommand,
  createMarketplaceClient,
  typeArgument,
} from '../options.ts';

const sourceAnswer = z.object({
  packageId: z.string(),
  verdict: z.string(),
  reason: z.string().nullable(),
  verifiedAtMs: z.int().nullable(),
  named: z
    .object({
      repository: z.string(),
      commit: z.string(),
      path: z.string().nullable(),
      state: z.string(),
      reason: z.string().nullable(),
      nextAttemptAtMs: z.int().nullable(),
    })
    .nullable(),
});

/** `source`: shows a marketplace's verdict of an adaptor's source, and what became of the commit that its manifest names. */
export function createSourceCommand(io: Io) {
  const command = createApiCommand(
    'source',
    'Shows what a marketplace knows about the source of an adaptor: its verdict, and whether the commit that the manifest names was read.',
  )
    .argument('<service type>', 'the adaptor', typeArgument)
    .option('--publisher <address>', 'the listing of this address, if there are several', addressArgument)
    .action(async (serviceType: string, options: ApiOptions & { publisher?: string }) => {
      const { network, publisher } = options;
      const { api } = await createMarketplaceClient(io, options);
      const body = await api.getAdaptorSource({ path: { serviceType }, query: { network, publisher } });
      answer(io, options, body, () => formatSource(parseResponse(sourceAnswer, body)));
    });
  return addExamples(
    command,
    'source 0xbfc9...::nest_egg::NestEgg',
    'source 0xbfc9...::nest_egg::NestEgg --json',
  );
}

function formatSource({ packageId, named, ...source }: z.infer<typeof sourceAnswer>): string[] {
  const lines = [`package     ${packageId}`, `verdict     ${describeVerdict(source)}`];
  if (named === null) return lines;
  const { repository, commit, path, state, reason, nextAttemptAtMs } = named;
  lines.push(`commit      ${repository}@${commit}${path === null ? '' : `:${path}`}, ${state}`);
  if (reason !== null) lines.push(`reason      ${reason}`);
  if (state !== 'read')
    lines.push(
      `next        ${nextAttemptAtMs === null ? 'none: name another commit, or send the source with verify --offer' : new Date(nextAttemptAtMs).toISOString()}`,
    );
  return lines;
}

/** Describes a marketplace's verdict of source, in one line. */
export function describeVerdict({
  verdict,
  reason,
  verifiedAtMs,
}: Pick<z.infer<typeof sourceAnswer>, 'verdict' | 'reason' | 'verifiedAtMs'>): string {
  const at = verifiedAtMs === null ? '' : `, at ${new Date(verifiedAtMs).toISOString()}`;
  return `${verdict.replaceAll('_', ' ')}${at}${reason === null ? '' : `: ${reason}`}`;
}
