import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes `src/generated`, types and calls from the OpenAPI document. The generator needs another version of TypeScript
 * than the repository, so it is installed in a folder of its own. The check of its output installs nothing: a record
 * holds the hashes of the document, the generator and the output that belong together.
 */
const root = join(import.meta.dirname, '../..');
const generator = 'packages/sdk/generator';
const record = `${generator}/generated.json`;
const output = 'packages/sdk/src/generated';

const paths = {
  generator: [
    'packages/sdk/generate.ts',
    `${generator}/package.json`,
    `${generator}/package-lock.json`,
    `${generator}/openapi-ts.config.js`,
  ],
  output: () => globSync(`${output}/**/*.ts`, { cwd: root }).toSorted(),
};

const document = execFileSync(process.execPath, [join(root, 'services/gateway/print-openapi.ts')], {
  maxBuffer: 16 * 1024 * 1024,
});

function hashFiles(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

const current = () => ({
  document: createHash('sha256').update(document).digest('hex'),
  generator: hashFiles(paths.generator),
  output: hashFiles(paths.output()),
});

function generate(): void {
  const cwd = join(root, generator);
  if (!existsSync(join(cwd, 'node_modules'))) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
  }
  writeFileSync(join(cwd, 'openapi.json'), document);
  execFileSync(process.execPath, ['node_modules/@hey-api/openapi-ts/bin/run.js'], { cwd, stdio: 'inherit' });
  const types = join(root, output, 'types.gen.ts');
  writeFileSync(types, allowUndefinedParameters(readFileSync(types, 'utf8')));
  writeFileSync(join(root, record), `${JSON.stringify(current(), null, 2)}\n`);
}

/**
 * Adds undefined to the optional parameters of queries, which the client leaves out. Callers that compile with
 * `exactOptionalPropertyTypes` can then pass a cursor that is undefined for the first page.
 */
const allowUndefinedParameters = (types: string): string =>
  types.replaceAll(/^ {4}query\??: \{\n.*?^ {4}\};$/gms, (query) =>
    query.replaceAll(/^( {8}[^ ].*\?: .*);$/gm, '$1 | undefined;'),
  );

/** Finds the parts that differ from the record. */
function findDifferences(): [string, string][] {
  const recorded = JSON.parse(readFileSync(join(root, record), 'utf8'));
  return Object.entries(current()).filter(([part, digest]) => recorded[part] !== digest);
}

function check(): void {
  const different = findDifferences();
  if (different.length === 0) return;
  const parts = different.map(([part]) => part).join(' and ');
  process.stderr.write(
    `${output} was generated from another ${parts}: run \`npm run generate\` and commit it.\n`,
  );
  process.exitCode = 1;
}

if (process.argv.includes('--check')) check();
else if (findDifferences().length > 0) generate();
