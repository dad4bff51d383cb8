import type { Network } from '@adaptor-marketplace/adaptor';
import {
  analysisVersion,
  type Certificate,
  type CertifyTarget,
  type Program,
  readProgram,
} from '@adaptor-marketplace/adaptor/certify';
import {
  type FunctionFact,
  functionKey,
  listCalls,
  listTypeOrigins,
  type ParsedTransaction,
} from '@adaptor-marketplace/adaptor/explain';
import { type PackageSource, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import { LRUCache } from 'lru-cache';
import { readCertificates } from '../../../db/queries/certificates.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { AnalysisProcess, analysisBounds } from '../../../lib/certificates/analysis-process.ts';
import { limitConcurrency } from '../../../lib/chain/concurrency-limit.ts';
import { cacheSystemPackages } from './system-packages.ts';

/** Reads the certificates of the functions that a transaction calls. */
export type FunctionReader = (
  transaction: ParsedTransaction,
  db: Queryable,
  signal: AbortSignal,
) => Promise<Map<string, FunctionFact>>;

/** Bounds of an analysis that a caller waits for. */
const bounds = { ...analysisBounds, processorMs: 3_000 };
/** Bound on the stored certificates of one request, in bytes. */
const storedBytesMax = 16 * 1024 * 1024;
const cachedBytesMax = 64 * 1024 * 1024;
/** Lifetime of cached facts: a framework package keeps its id when it is upgraded. */
const cachedMs = 10 * 60_000;

/** Opens the analysis of called functions. `closing` ends its process. */
export function openAnalysis(closing: AsyncDisposableStack) {
  const analysis = new AnalysisProcess({ bounds });
  closing.defer(() => analysis.end());
  // The process analyzes one package at a time.
  const inTurn = limitConcurrency({ running: 1, waiting: 32, waitMs: 10_000 });
  return (program: Program, targets: readonly CertifyTarget[], signal: AbortSignal) =>
    inTurn(() => analysis.certify(program, signal, targets));
}

type Analyze = ReturnType<typeof openAnalysis>;

/** Opens the reader of one network. Facts are cached; stored certificates are used before any is computed. */
export function openFunctionReader(
  network: Network,
  source: PackageSource,
  analyze: Analyze,
): FunctionReader {
  const packages = cacheSystemPackages(source);
  const cache = new LRUCache<string, FunctionFact>({
    maxSize: cachedBytesMax,
    sizeCalculation: (fact) => ('certificate' in fact ? JSON.stringify(fact.certificate).length : 100),
    ttl: cachedMs,
  });

  async function readPackage(
    packageId: string,
    targets: readonly CertifyTarget[],
    stored: ReadonlyMap<string, Certificate>,
    signal: AbortSignal,
  ): Promise<[string, FunctionFact][]> {
    const nameFunction = (target: CertifyTarget) => `${packageId}::${target.module}::${target.function}`;
    let program: Program;
    try {
      program = await readProgram(packages, packageId, signal);
    } catch (error) {
      if (!(error instanceof PackageUnreadableError)) throw error;
      if (error.reason !== 'absent' && error.reason !== 'too_large') throw error;
      return targets.map((target) => [nameFunction(target), { reason: error.message }]);
    }
    const typeOrigins = listTypeOrigins(program);
    const missing = targets.filter((target) => !stored.has(nameFunction(target)));
    const outcome = missing.length > 0 ? await analyze(program, missing, signal) : undefined;
    const certificates = new Map(stored);
    for (const { certificate } of outcome?.certificates ?? [])
      certificates.set(nameFunction(certificate), certificate);
    const absentReason =
      outcome?.state === 'unread'
        ? outcome.reason
        : 'The package has no such function that a transaction can call.';
    return targets.map((target) => {
      const certificate = certificates.get(nameFunction(target));
      return [nameFunction(target), certificate ? { certificate, typeOrigins } : { reason: absentReason }];
    });
  }

  return async (transaction, db, signal) => {
    const facts = new Map<string, FunctionFact>();
    const missing = new Map<string, CertifyTarget & { packageId: string }>();
    for (const call of listCalls(transaction.commands)) {
      const key = functionKey(call);
      const known = cache.get(key);
      if (known) facts.set(key, known);
      else missing.set(key, { packageId: key.slice(0, 66), module: call.module, function: call.function });
    }
    if (missing.size === 0) return facts;
    const keys = [...missing.values()].map((each) => ({ network, ...each }));
    const rows = await readCertificates(db, keys, storedBytesMax);
    const stored = new Map(
      rows.flatMap(({ analysis, certificate }, at) =>
        certificate && analysis === analysisVersion ? [[[...missing.keys()][at]!, certificate] as const] : [],
      ),
    );
    const byPackage = Map.groupBy(missing.values(), ({ packageId }) => packageId);
    const read = [...byPackage].map(([packageId, targets]) =>
      readPackage(packageId, targets, stored, signal),
    );
    for (const [key, fact] of (await Promise.all(read)).flat()) {
      facts.set(key, fact);
      // Reasons are not cached: an absent package may be published, and a stopped analysis may succeed.
      if ('certificate' in fact) cache.set(key, fact);
    }
    return facts;
  };
}
