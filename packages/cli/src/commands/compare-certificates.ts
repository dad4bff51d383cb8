import {
  analysisVersion,
  type RecomputedCertificate,
  recomputeCertificates,
} from '@adaptor-marketplace/adaptor/certify';
import { nodePackages, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import { pages } from '@adaptor-marketplace/sdk';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { CommandFailedError, formatTable, type Io } from '../io.ts';
import { type Connection, type NodeOptions, withConnection } from '../network.ts';
import { answer } from '../options.ts';

const calledFunction = z.object({
  packageId: z.string(),
  module: z.string(),
  function: z.string(),
  state: z.enum(['computed', 'pending', 'unread']),
  reason: z.string().nullable(),
  hash: z.string().nullable(),
  analysis: z.int().nullable(),
});
type CalledFunction = z.infer<typeof calledFunction>;

const certificatePage = z.object({
  publisher: z.string(),
  functions: z.array(calledFunction),
  nextCursor: z.string().optional(),
});

type Compared = CalledFunction & RecomputedCertificate;

/**
 * Computes the certificates of the functions that a listing calls, and compares their hashes with the marketplace's.
 * @throws CommandFailedError if a hash or a version of the analysis differs, or the node lacks a package
 */
export async function compareCertificates(io: Io, options: NodeOptions, serviceType: string): Promise<void> {
  await withConnection(
    io,
    options,
    async () => undefined,
    async (connection) => {
      const { publisher, functions } = await readListed(connection, serviceType);
      const compared = await compareAll(connection, functions);
      const { network } = connection;
      const result = { network, serviceType, publisher, analysis: analysisVersion, functions: compared };
      answer(io, options, result, () => formatCompared(compared));
      requireSame(compared);
    },
  );
}

function requireSame(compared: readonly Compared[]): void {
  const differing = compared.filter(({ result }) => result === 'differs').length;
  if (differing > 0)
    throw new CommandFailedError(
      `The marketplace has other certificates for ${differing} of ${compared.length} functions. Its sentences are not ` +
        'about the bytecode that this node shows.',
    );
  const absent = compared.find(({ result }) => result === 'absent');
  if (absent)
    throw new CommandFailedError(
      `The node does not have the package ${absent.packageId}, which the marketplace certifies. Is it a node of the same network?`,
    );
  const other = compared.filter(({ result }) => result === 'other analysis');
  const [first] = other;
  if (!first) return;
  const remedy =
    (first.analysis ?? 0) < analysisVersion
      ? 'The marketplace has not analyzed them again yet. Try again later, or use an earlier version of this program.'
      : 'Update this program.';
  throw new CommandFailedError(
    `The marketplace certifies ${other.length} of ${compared.length} functions with version ${first.analysis} of the ` +
      `analysis, and this program with ${analysisVersion}, so their hashes cannot be compared. ${remedy}`,
  );
}

async function readListed({ market, network }: Connection, serviceType: string) {
  const functions: CalledFunction[] = [];
  let publisher = '';
  const list = pages(async (cursor) => {
    const query = { network, limit: 20, cursor };
    return parseResponse(
      certificatePage,
      await market.api.getAdaptorCertificate({ path: { serviceType }, query }),
    );
  });
  for await (const page of list) {
    publisher = page.publisher;
    functions.push(...page.functions);
  }
  return { publisher, functions };
}

async function compareAll({ client }: Connection, functions: readonly CalledFunction[]): Promise<Compared[]> {
  try {
    return await Array.fromAsync(recomputeCertificates(nodePackages(client), functions));
  } catch (error) {
    if (error instanceof PackageUnreadableError) throw new CommandFailedError(error.message);
    throw error;
  }
}

function formatCompared(compared: readonly Compared[]): string[] {
  if (compared.length === 0) return ['The operations of the listing call no functions.'];
  const rows = compared.map(({ packageId, module, function: name, result, computed, state, reason }) => [
    `${packageId}::${module}::${name}`,
    result,
    computed ?? '-',
    state === 'computed' ? '' : (reason ?? state),
  ]);
  return formatTable(['FUNCTION', 'MARKETPLACE', 'CERTIFICATE', 'REASON'], rows);
}
