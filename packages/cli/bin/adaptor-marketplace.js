#!/usr/bin/env node
// Plain JavaScript that also older versions of Node read: it only starts the program with the Node that the program needs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** As it is published; in the repository Node runs the sources. */
const built = join(root, 'dist/main.js');
const isBuilt = existsSync(built);
const neededMajor = isBuilt ? 22 : 24;

/** The commands and what each does. */
const commands = {
  localnet: 'a Sui network in one process, with a faucet',
  catalog: 'what a marketplace lists',
  introspect: 'what a package offers, and what arguments are for',
  infer: 'what past calls of a function used',
  draft: "a package's manifest and its unsigned register()",
  register: 'sign a listing, and wait until the catalog shows it',
  unlist: 'take a listing out of the registry',
  attest: 'sign a review of a listed service',
  'new-key': 'make a key to sign with',
  fund: 'take SUI from the faucet of the local network or of testnet',
  whoami: 'the address of the key, its network, its SUI and its wallets',
  publish: 'compile a Move package and publish it, or an upgrade',
  'open-wallet': 'a wallet to try an adaptor with',
  call: 'execute an op as its manifest says',
};

// A reader such as head may close the output early.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(commands, name ?? '')) {
  const lines = Object.entries(commands).map(([known, does]) => `  ${known.padEnd(12)}${does}`);
  const usage = `Usage: adaptor-marketplace <command> [options]\n\n${lines.join('\n')}\n\n<command> --help says more.\n`;
  const isAsked = name === undefined || ['help', '--help', '-h'].includes(name);
  if (isAsked) process.stdout.write(usage);
  else process.stderr.write(`error: Unknown command: ${name}\n\n${usage}`);
  process.exit(isAsked ? 0 : 2);
}

const main = name === 'localnet' ? import.meta.resolve('@adaptor-marketplace/localnet/command') : undefined;
const file = main ? fileURLToPath(main) : isBuilt ? built : join(root, 'src/main.ts');
const words = main ? rest : [name, ...rest];
const child = spawn(nodeOrExit(), [file, ...words], { stdio: 'inherit' });
// Ctrl-C in a terminal reaches the child by itself; other signals, and those of no terminal, are passed on.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  process.exit(code ?? (signal ? 1 : 0));
});

/** This Node where it is new enough, or the one that is installed beside the program. */
function nodeOrExit() {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  try {
    const installed = dirname(createRequire(join(root, 'package.json')).resolve('node/package.json'));
    const path = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // Installed without it.
  }
  process.stderr.write(`Node ${neededMajor} or newer is required; this is ${process.version}.\n`);
  process.exit(1);
}
