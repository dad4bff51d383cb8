import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedPackage } from './debian-package.ts';

const run = promisify(execFile);

interface Program {
  path: string;
  env: NodeJS.ProcessEnv;
}

interface TlsServer {
  port: number;
  close(): Promise<void>;
}

/** Finds a program on the PATH, else on Debian in the distribution's package. @throws Error that says what to install */
async function findProgram(name: string, versionArgument: string): Promise<Program> {
  const tryProgram = async (path: string, env: NodeJS.ProcessEnv): Promise<Program | undefined> =>
    await run(path, [versionArgument], { env }).then(
      () => ({ path, env }),
      () => undefined,
    );
  const installed = await tryProgram(name, process.env);
  if (installed) return installed;
  const folders = ['usr/bin', 'usr/sbin'];
  return await unpackedPackage(name, [name], async ({ folder, env }) => {
    for (const one of folders) {
      const found = await tryProgram(join(folder, one, name), env);
      if (found) return found;
    }
    return undefined;
  }).catch((cause) => {
    throw new Error(
      `There is no ${name}. Install it, so that the configuration of the documents is tested.`,
      {
        cause,
      },
    );
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a program that serves TLS by a configuration file, until `close`.
 * @param write returns the configuration for a port and a folder of its own
 */
async function startServer(
  { path, env }: Program,
  write: (port: number, dir: string) => string,
  buildArguments: (file: string, dir: string) => string[],
): Promise<TlsServer> {
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-tls-'));
  const port = await findFreePort();
  const file = join(dir, 'config');
  await writeFile(file, write(port, dir));
  const child = spawn(path, buildArguments(file, dir), {
    env: { ...env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const exited = once(child, 'exit');
  const listening = waitForPort(port, () => child.exitCode === null);
  if (!(await listening)) throw new Error(`${path} has ended: ${said.slice(-2_000)}`);
  return {
    port,
    async close() {
      child.kill('SIGTERM');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Resolves to `true` when the port accepts connections, or to `false` when `isRunning` no longer holds. */
async function waitForPort(port: number, isRunning: () => boolean): Promise<boolean> {
  const { connect } = await import('node:net');
  while (isRunning()) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** Certificate and key in one file. */
const certificate = join(import.meta.dirname, 'tls/localhost.pem');

/** Starts nginx with the block `http` of the documents, for a target on this machine. */
export async function startNginx(block: string, target: string): Promise<TlsServer> {
  const paths = (dir: string) =>
    ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${dir}/${name};`)
      .join(' ');
  const write = (port: number, dir: string) => {
    const own = block
      .replaceAll('127.0.0.1:8080', target)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('market.example;', '127.0.0.1;')
      .replaceAll(/(ssl_certificate(?:_key)?) [^;]+;/g, `$1 ${certificate};`);
    return `daemon off; pid ${dir}/pid; error_log stderr; events {} http { access_log off; ${paths(dir)} ${own} }`;
  };
  return await startServer(await findProgram('nginx', '-v'), write, (file, dir) => [
    ...['-c', file, '-p', dir],
    ...['-e', 'stderr'],
  ]);
}

/** Starts Caddy with the `Caddyfile` of the documents, for a target on this machine. */
export async function startCaddy(caddyfile: string, target: string): Promise<TlsServer> {
  const write = (port: number) => {
    const own = caddyfile
      .replaceAll('127.0.0.1:8080', target)
      .replace('market.example {', `https://127.0.0.1:${port} {\n\ttls ${certificate} ${certificate}`);
    return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${own}\n`;
  };
  return await startServer(await findProgram('caddy', 'version'), write, (file) => [
    ...['run', '--adapter', 'caddyfile', '--config', file],
  ]);
}
