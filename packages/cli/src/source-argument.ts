import { type ManifestSource, manifestSource } from '@adaptor-marketplace/adaptor/manifest';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';

/** Reads a commit with the source of a package: `<url>@<commit>`, and `:<folder>` for a folder that is not the top one. */
export function sourceArgument(text: string): ManifestSource {
  const [, repository, commit, path] = /^([^@]+)@([^:]*)(?::(.+))?$/s.exec(text) ?? [];
  const { data, error } = manifestSource.safeParse({
    repository,
    commit,
    ...(path !== undefined && { path }),
  });
  if (data) return data;
  const [
    {
      path: [field],
      message,
    },
  ] = error.issues as [z.core.$ZodIssue];
  const fault = repository === undefined ? '' : ` ${String(field)}: ${message}.`;
  throw new InvalidArgumentError(
    `Expected <url>@<commit>, or <url>@<commit>:<folder>, with the 40 hex digits of the commit.${fault}`,
  );
}
