import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedPackage, untilInputEnds } from './debian-package.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';

const run = promisify(execFile);

interface Programs {
  prometheus: string;
  promtool: string;
}

/** Programs on the PATH, else of the distribution's package, which is downloaded to `node_modules/.cache`. */
export async function findPrometheus(): Promise<Programs> {
  const findIn = async (folder: string): Promise<Programs | undefined> => {
    const programs = { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
    const runs = Object.values(programs).map((program) => run(program, ['--version']));
    return await Promise.all(runs).then(
      () => programs,
      () => undefined,
    );
  };
  return (
    (await findIn('')) ??
    (await unpackedPackage('prometheus', ['prometheus'], ({ folder }) => findIn(join(folder, 'usr/bin'))))
  );
}

/** Starts a real Prometheus server that scrapes `host` every second and evaluates the rules of a file. */
export async function startPrometheus(host: string, rules: string) {
  const { prometheus } = await findPrometheus();
  const [port] = await freePorts(1);
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-prometheus-'));
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'adaptor-marketplace', static_configs: [{ targets: [host] }] }],
  };
  // JSON is YAML.
  await writeFile(join(dir, 'prometheus.yml'), JSON.stringify(settings));
  const args = [
    `--config.file=${dir}/prometheus.yml`,
    `--storage.tsdb.path=${dir}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('sh', ['-c', untilInputEnds, 'sh', prometheus, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const body = await answer.json();
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  await eventually(() => get('rules'));
  return {
    get,
    async close() {
      child.stdin!.end();
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
