import { readRepositoriesFrom } from './check-out.ts';
import { findDeployed } from './deployed.ts';
import { readEntries } from './entry.ts';
import { explain, type Judgement, judge, writeLine } from './judge.ts';

/**
 * Verifies the source of deployed packages that you bring:
 * `npx node packages/move-toolchain/conformance/golden/run.ts <list> <repositories> <bytecode>`. The list is JSON, see `entry.ts`;
 * the repositories are bare, at `<owner>/<name>.git`; the bytecode is `.mv` files with the package's id in their paths.
 * Prints a table, and why verdicts are not better. Exits with 1 if four of five packages are not exact or the same code.
 */
const [list, repositories, bytecode] = process.argv.slice(2);
if (list === undefined || repositories === undefined || bytecode === undefined) {
  process.stderr.write(
    'Usage: npx node packages/move-toolchain/conformance/golden/run.ts <list> <repositories> <bytecode>\n',
  );
  process.exit(2);
}

readRepositoriesFrom(repositories);
const deployed = await findDeployed(bytecode);
const entries = await readEntries(list);
const remarks: string[] = [];
const counts: Partial<Record<Judgement['verdict'], number>> = {};
process.stdout.write(
  '| package | verdict | compiler | source | id | source hash |\n|---|---|---|---|---|---|\n',
);
for (const entry of entries) {
  const judgement = await judge(entry, repositories, deployed);
  const { verdict } = judgement;
  counts[verdict] = (counts[verdict] ?? 0) + 1;
  process.stdout.write(`${writeLine(entry, judgement)}\n`);
  if (verdict !== 'exact')
    remarks.push(`\n${entry.name}: ${verdict}`, ...explain(judgement).map((line) => `  ${line}`));
}
process.stdout.write(`${remarks.join('\n')}\n\n${JSON.stringify(counts)}\n`);
const same = (counts.exact ?? 0) + (counts.same_code ?? 0);
process.exitCode = same >= entries.length * 0.8 ? 0 : 1;
