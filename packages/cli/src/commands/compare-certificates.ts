import {
  analysisVersion,
  Certifier,
  CertifyTargetError,
  certificateHash,
  readProgram,
} from '@adaptor-marketplace/adaptor/certify';
import { nodePackages, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import { pages } from '@adaptor-marketplace/sdk';
import { z } from 'zod';
import { read } from '../api.ts';
import { CommandFailedError, type Io, table } from '../io.ts';
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

/** A function with both hashes. One is null if there is no certificate on that side. */
interface Compared extends CalledFunction {
  /** Hash from the bytecode that the node showed. */
  computed: string | null;
  /**
   * `differs`: also a certificate of a function that the chain does not have. `other analysis`: hashes of two versions of the
   * analysis say nothing about each other.
   */
  result: 'same' | 'differs' | 'other analysis' | 'not compared';
}

/**
 * Computes the certificates of the functions that a listing calls, and compares their hashes with the marketplace's.
 * @throws CommandFailedError if a hash differs, or a version of the analysis does
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
    return read(certificatePage, await market.api.getAdaptorCertificate({ path: { serviceType }, query }));
  });
  for await (const page of list) {
    publisher = page.publisher;
    functions.push(...page.functions);
  }
  return { publisher, functions };
}

async function compareAll({ client }: Connection, functions: readonly CalledFunction[]): Promise<Compared[]> {
  const packages = nodePackages(client);
  const compared: Compared[] = [];
  for (const [packageId, called] of Map.groupBy(functions, (one) => one.packageId)) {
    const program = await readProgram(packages, packageId).catch(requireNode);
    const certifier = program && new Certifier(program);
    for (const one of called) {
      const computed = certifier === undefined ? null : certifyOne(certifier, one);
      compared.push({ ...one, computed, result: compareOne(one, computed) });
    }
  }
  return compared;
}

function compareOne({ hash, analysis }: CalledFunction, computed: string | null): Compared['result'] {
  if (hash === null) return 'not compared';
  if (analysis !== analysisVersion) return 'other analysis';
  return computed === hash ? 'same' : 'differs';
}

/** Returns undefined for a package that the chain does not have, as an op of a stranger may name one. */
function requireNode(error: unknown): undefined {
  if (!(error instanceof PackageUnreadableError)) throw error;
  if (error.reason !== 'absent') throw new CommandFailedError(error.message);
}

/** Returns null for a function that the package does not have. */
function certifyOne(certifier: Certifier, { module, function: name }: CalledFunction): string | null {
  try {
    return certificateHash(certifier.certify({ module, function: name }));
  } catch (error) {
    if (error instanceof CertifyTargetError) return null;
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
  return table(['FUNCTION', 'MARKETPLACE', 'CERTIFICATE', 'REASON'], rows);
}
