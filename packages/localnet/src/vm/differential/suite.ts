import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';

/** One function of Move: an expression of type `returns`, which may use `ctx: &mut TxContext`. */
export interface Case {
  returns: string;
  body: string;
}

/** Functions of one module. */
export interface Suite {
  /** The module's name. */
  name: string;
  /** What else is in the module. */
  members: string;
  cases: Case[];
}

/** Of the package that a suite's module is in. */
export const MANIFEST = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';

export const caseName = (index: number) => `case_${index}`;

/** The sources of a package with a module for each suite; `tests` of a suite go into its module. */
export function packageFiles(suites: readonly Suite[], tests: string[][] = []): PackageFiles {
  const files: PackageFiles = { 'Move.toml': MANIFEST };
  for (const [i, { name, members, cases }] of suites.entries()) {
    const functions = cases.map(
      ({ returns, body }, k) => `public fun ${caseName(k)}(ctx: &mut TxContext): ${returns} { ${body} }`,
    );
    const head = `#[allow(unused, dead_code, deprecated_usage)]\nmodule demo::${name} {`;
    files[`sources/${name}.move`] = [head, members, ...functions, ...(tests[i] ?? []), '}'].join('\n');
  }
  return files;
}

/** Cases from expressions by the type that they have. */
export function casesOf(expressions: Record<string, string[]>): Case[] {
  return Object.entries(expressions).flatMap(([returns, bodies]) =>
    bodies.map((body) => ({ returns, body })),
  );
}
