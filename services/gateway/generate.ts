import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { printedSchema } from '../../graphql/schema.ts';
import { renderEnvironmentExample } from '../../lib/config/example.ts';
import { renderLlmsIndex } from './machines/documents.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { routes } from './routes.ts';

const command = new Command('npm run generate --')
  .description(
    'Writes the committed files that follow from the code and the documents: the graph schema, .env.example and llms.txt.',
  )
  .option('--check', 'write nothing; fail when they no longer match the code')
  .parse();
const { check } = command.opts<{ check?: boolean }>();

/** In this order: the last one is made of the documents before it. */
const files: Record<string, () => string> = {
  'graphql/schema.graphql': () => printedSchema,
  '.env.example': renderEnvironmentExample,
  'llms.txt': () => renderLlmsIndex(createOpenApiDocument(routes)),
};

const root = new URL('../../', import.meta.url);
for (const [name, write] of Object.entries(files)) {
  const content = write();
  const path = fileURLToPath(new URL(name, root));
  const committed = await readFile(path, 'utf8').catch(() => undefined);
  if (committed === content) continue;
  if (check) {
    process.stderr.write(`${name} does not match the code: run \`npm run generate\` and commit it.\n`);
    process.exitCode = 1;
  } else {
    await writeFile(path, content);
    process.stdout.write(`wrote ${name}\n`);
  }
}
