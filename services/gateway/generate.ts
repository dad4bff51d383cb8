import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { printedSchema } from '../../graphql/schema.ts';
import { environmentExample } from '../../lib/config/example.ts';
import { errorsDocument } from '../../lib/errors/document.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { routes } from './start.ts';

const command = new Command('npm run generate --')
  .description(
    'Writes the committed files that follow from the code: the OpenAPI document, the graph schema, .env.example and docs/errors.md.',
  )
  .option('--check', 'write nothing; fail when they no longer match the code')
  .parse();
const { check } = command.opts<{ check?: boolean }>();

const files = {
  'services/gateway/openapi.json': `${JSON.stringify(createOpenApiDocument(routes), null, 2)}\n`,
  'graphql/schema.graphql': printedSchema,
  '.env.example': environmentExample(),
  'docs/errors.md': errorsDocument(),
};

const root = new URL('../../', import.meta.url);
for (const [name, content] of Object.entries(files)) {
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
