import { join } from 'node:path';
import { moveToml, scratchPackages } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { describe, expect, it } from 'vitest';
import { runMove } from './cli.ts';

const source = (body: string) => `module p::m;\n${body}\n`;
const passing = source('#[test]\nfun holds() {}');

/** Runs the command over one package `p` with that module. */
async function run(module: string, ...args: string[]) {
  await using packages = await scratchPackages({
    p: { 'Move.toml': moveToml('p'), 'sources/m.move': module },
  });
  const written = { out: '', err: '' };
  const into = (stream: 'out' | 'err') => ({
    write: (text: string) => {
      written[stream] += text;
    },
  });
  const code = await runMove(args, into('out'), into('err'), packages.dir);
  return { code, ...written };
}

describe('npm run move', () => {
  it('builds a package and says what it is made of', async () => {
    const { code, out } = await run(passing, 'build', 'p');
    expect(code).toBe(0);
    expect(out).toMatch(/^p: 1 modules, \d+ bytes, digest [0-9a-f]{64}\n {2}links to 0x0+1\n/);
  });

  it('prints the diagnostics of a package that does not compile, and fails', async () => {
    for (const command of ['build', 'test']) {
      const { code, err } = await run(source('fun f() { missing }'), command);
      expect(code).toBe(1);
      expect(err).toContain('p does not compile:');
      expect(err).toContain("Unbound variable 'missing'");
    }
  });

  it('tests all packages without a name', async () => {
    const { code, out } = await run(passing, 'test');
    expect(code).toBe(0);
    expect(out).toContain('[ PASS    ] p::m::holds');
  });

  it('fails when a test fails, and when there is none', async () => {
    expect((await run(source('#[test]\nfun fails() { abort 1 }'), 'test')).code).toBe(1);
    const untested = await run(source(''), 'test', 'p');
    expect(untested.code).toBe(1);
    expect(untested.err).toContain('p has no tests.');
  });

  it('names the packages there are when there is none of that name', async () => {
    const { code, err } = await run(passing, 'build', 'q');
    expect(code).toBe(2);
    expect(err).toBe('error: no package is called q, and no folder of one. There are: p\n');
  });

  it('takes the path of a folder elsewhere', async () => {
    await using elsewhere = await scratchPackages({
      far: { 'Move.toml': moveToml('far'), 'sources/m.move': 'module far::m;\n#[test]\nfun holds() {}' },
    });
    const dir = join(elsewhere.dir, 'far');
    const { code, out } = await run(passing, 'test', dir);
    expect(code).toBe(0);
    expect(out).toContain(`${dir}\n`);
    expect(out).toContain('[ PASS    ] far::m::holds');
  });

  it('explains itself, and refuses what it does not know', async () => {
    const help = await run(passing, '--help');
    expect(help.code).toBe(0);
    expect(help.out).toContain('build [package]');
    expect((await run(passing, 'deploy')).code).toBe(2);
  });
});
