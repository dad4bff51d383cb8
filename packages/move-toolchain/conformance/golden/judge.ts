import { readSourceFolder, type SourceVerification, verifySource } from '../../src/verify/index.ts';
import { prepareSource, SourceRefusedError } from '../../src/verify/source.ts';
import { checkOut } from './check-out.ts';
import { type Deployed, readDeployed } from './deployed.ts';
import type { Entry } from './entry.ts';

/** Verdict of one entry. Without a hash if its source was refused. */
export type Judgement = Pick<SourceVerification, 'verdict' | 'compiler' | 'comparison' | 'reason'> & {
  sourceHash?: string;
};

/** Verifies the source of an entry as the command `verify` does. @throws Error if the source or the modules are not at hand */
export async function judge(entry: Entry, repositories: string, deployed: Deployed): Promise<Judgement> {
  const modules = await readDeployed(deployed, entry.package);
  await using source = await checkOut(repositories, entry);
  try {
    const { files, folder, gitFolders } = await readSourceFolder(source.folder);
    return await verifySource(modules, prepareSource(files, folder, gitFolders));
  } catch (error) {
    if (error instanceof SourceRefusedError) return { verdict: 'not_built', reason: error.message };
    throw error;
  }
}

const names: Record<Judgement['verdict'], string> = {
  exact: 'exact',
  same_code: 'same code',
  same_but_error_lines: 'same but for error lines',
  differs: 'differs',
  not_built: 'not built',
};

/** Writes a line of the table in Markdown. */
export function writeLine(
  { name, commit, folder, package: id, repository }: Entry,
  { verdict, compiler, sourceHash }: Judgement,
): string {
  const source = `${repository} ${commit.slice(0, 10)} ${folder}`;
  return `| ${[name, names[verdict], compiler ?? '', source, id, sourceHash?.slice(0, 16) ?? ''].join(' | ')} |`;
}

/** Differences of a package that are written at most. */
const differencesMax = 5;

/** Writes why a verdict is not better: the first differences, or the reason for which nothing was built. */
export function explain({ comparison, reason }: Judgement): string[] {
  if (reason !== undefined) return reason.split('\n').slice(0, 8);
  const { modules, missing, extra } = comparison!;
  const differences = modules.flatMap(({ module, differences }) =>
    differences.map((found) => `${module}, ${found.declaration}: ${found.onChain} / ${found.built}`),
  );
  const total = modules.reduce((sum, { differenceCount }) => sum + differenceCount, 0);
  return [
    ...(missing.length > 0 ? [`without source: ${missing.join(', ')}`] : []),
    ...(extra.length > 0 ? [`not on chain: ${extra.join(', ')}`] : []),
    ...differences.slice(0, differencesMax),
    ...(total > differencesMax ? [`${total} differences`] : []),
  ];
}
