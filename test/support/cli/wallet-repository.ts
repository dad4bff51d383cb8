import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { moveDir } from '../../../lib/contracts/move-dir.ts';

const run = promisify(execFile);

/** A git repository with the wallet package, which stands for the public one of the project. */
export interface WalletRepository {
  /** Variables with which git reads this repository in place of the public one. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Creates the repository, with the tag of this version. */
export async function createWalletRepository(): Promise<WalletRepository> {
  const dir = await mkdtemp(join(tmpdir(), 'wallet-repository-'));
  const git = (...words: string[]) =>
    run('git', ['-C', dir, '-c', 'user.name=test', '-c', 'user.email=test@example.org', ...words]);
  await cp(join(moveDir, 'wallet'), join(dir, 'move/wallet'), { recursive: true });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'wallet');
  const { version, repository } = JSON.parse(await readFile(join(moveDir, '../package.json'), 'utf8'));
  await git('tag', `v${version}`);
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${pathToFileURL(dir).href}.insteadOf`,
    GIT_CONFIG_VALUE_0: repository.url.replace(/^git\+/, ''),
  };
  return { env, remove: () => rm(dir, { recursive: true }) };
}
