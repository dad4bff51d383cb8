#!/usr/bin/env node
// Plain JavaScript that older versions of Node can read: it starts the program with the Node that the program needs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Only the published package has it; in the repository Node runs the sources. */
const built = join(root, 'dist/main.js');
const isBuilt = existsSync(built);
const needed = isBuilt ? [22, 13] : [24, 0];

const file = isBuilt ? built : join(root, 'src/main.ts');
const child = spawn(nodeOrExit(), [file, ...process.argv.slice(2)], { stdio: 'inherit' });
// In a terminal Ctrl-C reaches the child by itself; all other signals are forwarded.
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

/** This Node if it is new enough, else the one that is installed beside the program. */
function nodeOrExit() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return process.execPath;
  try {
    const installed = dirname(createRequire(join(root, 'package.json')).resolve('node/package.json'));
    const path = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // The package is not installed.
  }
  process.stderr.write(`Node ${needed.join('.')} or newer is required; this is ${process.version}.\n`);
  process.exit(1);
}
