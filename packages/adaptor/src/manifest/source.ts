import { z } from 'zod';

/** Addresses without credentials, port, query, escapes and dots that lead elsewhere. */
const repository = /^https:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?:\/[\w~-][\w.~-]*)+\/?$/;
const folder = /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*){0,15}$/;

/** A commit of a git repository that has the source of the package, as the publisher says. */
export const manifestSource = z
  .looseObject({
    repository: z
      .string()
      .max(512)
      .regex(repository, 'expected the https url of a repository, such as https://github.com/owner/name')
      .describe('Repository that anyone can read: an https url without user, port and query.'),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40}$/, 'expected the whole id of a commit: 40 hex digits in lower case')
      .describe('Id of the commit, 40 hex digits. A branch or a tag can move.'),
    path: z
      .string()
      .max(255)
      .regex(folder, 'expected a folder within the repository, such as packages/pool')
      .optional()
      .describe('Folder with its Move.toml. Default: the top folder.'),
  })
  .meta({ description: 'Where its source is. A marketplace compares it with the package on chain.' });

export interface ManifestSource {
  repository: string;
  commit: string;
  path?: string | undefined;
}

/** Addresses of a commit on a host of repositories. */
interface CommitAddresses {
  /** Gzipped tar of the commit. The host sends it without a redirect. */
  archive: string;
  /** Page of the folder for people. */
  page: string;
}

/** Hosts by their names, and the addresses that they document. */
const hosts: Readonly<
  Record<string, (names: string[], source: ManifestSource) => CommitAddresses | undefined>
> = {
  'github.com': ([owner, name, ...others], { commit, path }) => {
    if (name === undefined || others.length > 0) return undefined;
    return {
      // github.com/<owner>/<name>/archive/<commit>.tar.gz redirects to it.
      archive: `https://codeload.github.com/${owner}/${name}/tar.gz/${commit}`,
      page: joinPath(`https://github.com/${owner}/${name}/tree/${commit}`, path),
    };
  },
  'gitlab.com': (names, { commit, path }) => {
    // A part that is only a dash begins the pages of a project.
    if (names.length < 2 || names.includes('-')) return undefined;
    const project = `https://gitlab.com/${names.join('/')}/-`;
    return {
      archive: `${project}/archive/${commit}/${names.at(-1)}-${commit}.tar.gz`,
      page: joinPath(`${project}/tree/${commit}`, path),
    };
  },
};

/** Names of the hosts whose addresses `findCommit` knows. */
export const sourceHosts: readonly string[] = Object.keys(hosts);

const joinPath = (url: string, path: string | undefined) => (path === undefined ? url : `${url}/${path}`);

/** Finds the addresses of a valid source's commit. Undefined on a host that is not among `sourceHosts`. */
export function findCommit(source: ManifestSource): CommitAddresses | undefined {
  const { hostname, pathname } = new URL(source.repository);
  const names = pathname
    .replace(/(?:\.git)?\/?$/, '')
    .slice(1)
    .split('/');
  return Object.hasOwn(hosts, hostname) ? hosts[hostname]!(names, source) : undefined;
}
