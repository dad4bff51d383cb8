import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { MoveCompileError } from './builder.ts';
import { cacheDir } from './cache-dir.ts';
import type { GitSource } from './package-files.ts';

const run = promisify(execFile);

const cache = join(cacheDir, 'git');
const commitId = /^[0-9a-f]{40}$/;
/** Longest time of one call of git. */
const timeoutMs = 300_000;

/** Nothing of the machine's set-up takes part but the rewriting of urls, proxies and credentials. */
const settings = ['core.hooksPath=/dev/null', 'core.symlinks=false', 'core.autocrlf=false'];

async function git(...words: string[]): Promise<string> {
  // Transports that would run a program that the url names are not among these.
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };
  const options = settings.flatMap((setting) => ['-c', setting]);
  return (await run('git', [...options, ...words], { env, timeout: timeoutMs })).stdout;
}

const resolved = new Map<string, Promise<string>>();

/**
 * Returns the folder of a package in a git repository. A commit is fetched once for all projects. A tag or a branch is
 * looked up once in a process; if its repository does not answer, the commit that it had last time is used.
 * @throws MoveCompileError if it cannot be fetched
 */
export async function fetchGitPackage({ url, rev, subdir }: GitSource): Promise<string> {
  if (!/^\w[\w./-]*$/.test(rev) || url === '' || url.startsWith('-')) {
    throw new MoveCompileError(
      `Not a git dependency: ${url} at ${rev}. Expected a url, and as rev a tag, a branch or a whole commit id.`,
    );
  }
  const key = createHash('sha256').update(`${url}\0${rev}`).digest('hex');
  const fetching = resolved.get(key) ?? fetchRevision(url, rev, key);
  resolved.set(key, fetching);
  const checkout = await fetching.catch((error: unknown) => {
    resolved.delete(key);
    throw error;
  });
  const folder = resolve(checkout, subdir);
  if (folder === checkout || folder.startsWith(checkout + sep)) return folder;
  throw new MoveCompileError(`The subdir ${subdir} is outside of the repository ${url}.`);
}

async function fetchRevision(url: string, rev: string, key: string): Promise<string> {
  const pointer = join(cache, `${key}.commit`);
  const known = commitId.test(rev) ? rev : await readFile(pointer, 'utf8').catch(() => undefined);
  try {
    const commit = commitId.test(rev) ? rev : await lookUp(url, rev);
    const folder = join(cache, commit);
    if (!(await stat(folder).catch(() => undefined))) await checkOut(url, rev, commit);
    await writeFile(pointer, commit);
    return folder;
  } catch (error) {
    const folder = known && join(cache, known);
    if (folder && (await stat(folder).catch(() => undefined))) return folder;
    throw new MoveCompileError(`Cannot fetch ${url} at ${rev}: ${explain(error)}`);
  }
}

/** The commit of a tag or of a branch. */
async function lookUp(url: string, rev: string): Promise<string> {
  const names = rev === 'HEAD' ? [rev] : [`refs/tags/${rev}^{}`, `refs/tags/${rev}`, `refs/heads/${rev}`];
  const listed = await git('ls-remote', '--', url, ...names);
  const commits = new Map(
    listed.split('\n').flatMap((line) => {
      const [commit, name] = line.split('\t');
      return commit && name ? [[name, commit] as const] : [];
    }),
  );
  const commit = names.map((name) => commits.get(name)).find((found) => found !== undefined);
  if (commit === undefined) throw new Error('the repository has no such tag and no such branch.');
  return commit;
}

/**
 * Checks a revision out, into a folder that gets its name when it is complete. Projects share the folder of a commit, so nothing
 * else may get there: a repository can name another commit than before, or have `refs/v1` beside `refs/tags/v1`.
 */
async function checkOut(url: string, rev: string, commit: string): Promise<void> {
  const folder = join(cache, commit);
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await git('init', '--quiet', unfinished);
    const at = ['-C', unfinished];
    await git(...at, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url, rev);
    const fetched = (await git(...at, 'rev-parse', 'FETCH_HEAD^{commit}')).trim();
    if (fetched !== commit)
      throw new Error(`the repository gave the commit ${fetched} for ${commit}. Try again.`);
    await git(...at, 'checkout', '--quiet', '--detach', 'FETCH_HEAD');
    await rename(unfinished, folder).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function explain(error: unknown): string {
  const { code, killed, stderr, message } = error as Error & {
    code?: unknown;
    killed?: boolean;
    stderr?: string;
  };
  if (code === 'ENOENT') return 'git is not installed.';
  if (killed) return `git did not end within ${timeoutMs / 1000} seconds.`;
  return (stderr?.trim() || message).slice(0, 1_000);
}
