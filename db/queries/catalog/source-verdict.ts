import { type Verdict, verdicts } from '@adaptor-marketplace/move-bytecode/compare';

/** Results of a verification, the best first. */
export const sourceVerdicts = [...verdicts, 'not_built'] as const;
export type SourceVerdict = Verdict | 'not_built';

/** SQL for the best verdict of the source that was offered for a package. Null without a verdict. */
export const buildSourceVerdictSql = (network: string, packageId: string) => `(
    select s.verdict from package_sources s
    where s.network = ${network} and s.package_id = ${packageId} and s.rank is not null
    order by s.rank, s.offered_at limit 1)`;

/** SQL condition of an entry whose package does what its source says. The partial index `catalog_entries_of_source` has the same. */
export const sourceMatches = `source_verdict in ('exact', 'same_code')`;
