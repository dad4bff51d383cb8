import type { SourceVerification } from '@adaptor-marketplace/move-toolchain/verify';
import { type SourceVerdict, sourceVerdicts } from '../catalog/source-verdict.ts';

/** A module that both sides have, and where they differ. */
type ReportedModule = NonNullable<SourceVerification['comparison']>['modules'][number];

/** Findings of a verification, as they are stored and shown. */
export interface SourceReport {
  /** Version of Sui that the compiler is of. Null if nothing was built. */
  compiler: string | null;
  /** The reason of `not_built`. */
  reason: string | null;
  modules: ReportedModule[];
  /** Names of modules on chain that the source does not have. */
  missing: string[];
  /** Names of modules of the source that are not on chain. */
  extra: string[];
  /** Packages on chain that the source's dependencies stand for. Each is a subject of its own. */
  dependencies: { name: string; packageId: string }[];
}

/** Maximum JSON of all differences of a report, in bytes. Modules beyond it have their number alone. */
const differencesBytesMax = 256 * 1024;
const namesMax = 500;

/** Converts a verification to what is stored of it, within bounds and with text that PostgreSQL stores. */
export function toReport({ compiler, reason, comparison, dependencies }: SourceVerification): SourceReport {
  let bytesLeft = differencesBytesMax;
  const modules = (comparison?.modules ?? []).map((module) => {
    const size = Buffer.byteLength(JSON.stringify(module.differences));
    if (size > bytesLeft) return { ...module, differences: [] };
    bytesLeft -= size;
    return module;
  });
  const report: SourceReport = {
    compiler: compiler ?? null,
    reason: reason ?? null,
    modules,
    missing: (comparison?.missing ?? []).slice(0, namesMax),
    extra: (comparison?.extra ?? []).slice(0, namesMax),
    dependencies: Object.entries(dependencies).map(([name, packageId]) => ({ name, packageId })),
  };
  return JSON.parse(JSON.stringify(report), (_, value) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  ) as SourceReport;
}

const differencesMax = 999_999;

/** Orders results: the lowest is the best. */
export function rankResult(verdict: SourceVerdict, { modules, missing, extra }: SourceReport): number {
  const inModules = modules.reduce((sum, { differenceCount }) => sum + differenceCount, 0);
  const differences = Math.min(differencesMax, inModules + missing.length + extra.length);
  return sourceVerdicts.indexOf(verdict) * (differencesMax + 1) + differences;
}
