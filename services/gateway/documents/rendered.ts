import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTablesDocument } from '../../../db/schema/document.ts';
import { renderSettingsDocument } from '../../../lib/config/example.ts';
import { renderErrorsDocument } from '../../../lib/errors/document.ts';
import type { OpenApiDocument } from '../openapi/components.ts';
import { renderApiReference } from '../openapi/reference.ts';

/** Root of the repository, to which the paths of documents are relative. */
export const root = join(import.meta.dirname, '../../..');

interface RenderedDocument {
  /** Path among the documents of a host. */
  path: string;
  /** File of the repository with the same content. Documents link to it, and a host leads these links to `path`. */
  source: string;
  render(api: OpenApiDocument): string;
}

/** The documents that a host renders from its code. The others are files of the repository. */
export const renderedDocuments: readonly RenderedDocument[] = [
  { path: 'docs/api.md', source: 'services/gateway/routes.ts', render: renderApiReference },
  { path: 'docs/errors.md', source: 'lib/errors/problems.ts', render: renderErrorsDocument },
  { path: 'docs/settings.md', source: '.env.example', render: renderSettingsDocument },
  { path: 'docs/tables.md', source: 'db/schema/index.ts', render: renderTablesDocument },
];

export function readMarkdown(path: string, api: OpenApiDocument): string {
  const rendered = renderedDocuments.find((document) => document.path === path);
  return rendered ? rendered.render(api) : readFileSync(join(root, path), 'utf8');
}
