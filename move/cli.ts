import { existsSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { compilePackage, MoveCompileError } from '@adaptor-marketplace/move-toolchain';
import { listPackages } from '@adaptor-marketplace/move-toolchain/sources';
import { testPackage } from '@adaptor-marketplace/move-toolchain/test-package';
import { Command, CommanderError } from 'commander';
import { moveDir } from '../lib/contracts/move-dir.ts';

interface Output {
  write(text: string): void;
}

/**
 * `npm run move`: compiles or tests one package below `root`, or all of them.
 * @returns the exit code: 0 on success, 1 if a package does not compile or a test fails, 2 if the command line is
 * invalid
 */
export async function runMove(
  args: string[],
  out: Output,
  err: Output,
  root: string = moveDir,
): Promise<number> {
  let failures = 0;
  const onEach = (work: (dir: string, name: string) => Promise<boolean>) => async (name?: string) => {
    for (const dir of await choose(name)) {
      const inside = relative(root, dir);
      if (!(await work(dir, inside.startsWith('..') ? dir : inside))) failures++;
    }
  };

  const build = async (dir: string, name: string) => {
    const { modules, dependencies, digest } = await compilePackage(dir, { allowUnpublished: true });
    const bytes = modules.reduce((sum, module) => sum + module.length, 0);
    out.write(`${name}: ${modules.length} modules, ${bytes} bytes, digest ${digest}\n`);
    for (const dependency of dependencies) out.write(`  links to ${dependency}\n`);
    return true;
  };

  const test = async (dir: string, name: string) => {
    const { passed, failed, output } = await testPackage(dir);
    out.write(`${name}\n${output}\n`);
    if (passed + failed === 0) err.write(`${name} has no tests.\n`);
    return failed === 0 && passed > 0;
  };

  const reporting = (work: typeof build) => async (dir: string, name: string) => {
    try {
      return await work(dir, name);
    } catch (error) {
      if (!(error instanceof MoveCompileError)) throw error;
      err.write(`${name} does not compile:\n${error.message.trimEnd()}\n`);
      return false;
    }
  };

  const program = new Command('npm run move --')
    .description('Compiles and tests the Move packages in move/, without a network.')
    .configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) })
    .exitOverride();
  program
    .command('build')
    .description(
      'compile: modules, size, digest and dependencies (those not on chain at placeholder addresses)',
    )
    .argument(
      '[package]',
      'name of its folder in move/, or the path of another folder; all packages without it',
    )
    .action(onEach(reporting(build)));
  program
    .command('test')
    .description('run the Move unit tests in the Move VM')
    .argument(
      '[package]',
      'name of its folder in move/, or the path of another folder; all packages without it',
    )
    .action(onEach(reporting(test)));

  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  return failures > 0 ? 1 : 0;

  async function choose(name?: string): Promise<string[]> {
    const all = await listPackages(root);
    const found =
      name === undefined ? all : all.filter((dir) => [basename(dir), relative(root, dir)].includes(name));
    if (found.length > 0) return found;
    if (name !== undefined && existsSync(join(name, 'Move.toml'))) return [resolve(name)];
    const known = all.map((dir) => relative(root, dir)).join(', ');
    return program.error(`error: no package is called ${name}, and no folder of one. There are: ${known}`);
  }
}

if (import.meta.main) {
  try {
    process.exitCode = await runMove(process.argv.slice(2), process.stdout, process.stderr);
  } catch (error) {
    process.stderr.write(`${getErrorMessage(error)}\n`);
    process.exitCode = 1;
  }
}
