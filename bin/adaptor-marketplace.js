#!/usr/bin/env node
// Plain JavaScript for any Node from 20 on: it only starts the program with the Node that the program needs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..');
const neededMajor = 24;

const cli = 'cli/main.ts';

/** What can be run: which file with which first words, and what it does. */
const commands = {
  localnet: { run: ['packages/localnet/src/main.ts'], does: 'a Sui network in one process, with a faucet' },
  catalog: { run: [cli, 'catalog'], does: 'what a marketplace lists' },
  introspect: { run: [cli, 'introspect'], does: 'what a package offers, and what arguments are for' },
  infer: { run: [cli, 'infer'], does: 'what past calls of a function used' },
  draft: { run: [cli, 'draft'], does: "a package's manifest and its unsigned register()" },
  register: { run: [cli, 'register'], does: 'sign a listing, and wait until the catalog shows it' },
  unlist: { run: [cli, 'unlist'], does: 'take a listing out of the registry' },
  attest: { run: [cli, 'attest'], does: 'sign a review of a listed service' },
  'new-key': { run: [cli, 'new-key'], does: 'make a key to sign with' },
  fund: { run: [cli, 'fund'], does: 'take SUI from the faucet of the local network or of testnet' },
  whoami: { run: [cli, 'whoami'], does: 'the address of the key, its network, its SUI and its wallets' },
  publish: { run: [cli, 'publish'], does: 'compile a Move package and publish it, or an upgrade' },
  'open-wallet': { run: [cli, 'open-wallet'], does: 'a wallet to try an adaptor with' },
  call: { run: [cli, 'call'], does: 'execute an op as its manifest says' },
};

// A reader such as head may close the output early.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [name, ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) {
  const lines = Object.entries(commands).map(([known, { does }]) => `  ${known.padEnd(12)}${does}`);
  const usage = `Usage: adaptor-marketplace <command> [options]\n\n${lines.join('\n')}\n\n<command> --help says more.\n`;
  const isAsked = name === undefined || ['help', '--help', '-h'].includes(name);
  if (isAsked) process.stdout.write(usage);
  else process.stderr.write(`error: Unknown command: ${name}\n\n${usage}`);
  process.exit(isAsked ? 0 : 2);
}

const [file, ...words] = command.run;
const child = spawn(nodeOrExit(), [join(root, file), ...words, ...rest], { stdio: 'inherit' });
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

/** The Node that is installed beside the program, or this one where it is new enough. */
function nodeOrExit() {
  try {
    const installed = dirname(createRequire(join(root, 'package.json')).resolve('node/package.json'));
    const path = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // Installed without it.
  }
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  process.stderr.write(`Node ${neededMajor} is needed: run "npm ci" in ${root}, or use a newer Node.\n`);
  process.exit(1);
}
