import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, type DocumentNode, parse } from 'graphql';

const root = join(import.meta.dirname, '../..');

/** Makes a folder below the packages that generated code imports. */
export function createClientFolder(name: string): string {
  const cache = join(root, 'node_modules/.cache/adaptor-marketplace');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, `${name}-`));
}

type PresetOptions = Parameters<(typeof preset)['buildGeneratesSection']>[0];

interface ClientOptions {
  schema: DocumentNode;
  /** Texts of the documents, as the client has them. */
  documents: readonly string[];
  presetConfig?: PresetOptions['presetConfig'];
}

/** Writes `graph/` into the folder, as GraphQL Code Generator does with its preset for clients. */
export async function generateClient(
  folder: string,
  { schema, documents, presetConfig = {} }: ClientOptions,
): Promise<void> {
  const outputs = await preset.buildGeneratesSection({
    schema,
    schemaAst: buildASTSchema(schema),
    documents: documents.map((rawSDL, at) => ({
      location: `${at}.graphql`,
      rawSDL,
      document: parse(rawSDL),
    })),
    baseOutputDir: `${join(folder, 'graph')}/`,
    presetConfig,
    config: { useTypeImports: true, importExtension: '.ts', emitLegacyCommonJSImports: false },
    plugins: [],
    pluginMap: {},
  });
  mkdirSync(join(folder, 'graph'));
  // One output waits for another, so all are made at once.
  const made = outputs.map(async (output) => writeFileSync(output.filename, await codegen(output)));
  await Promise.all(made);
}
