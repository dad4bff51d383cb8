import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Unpacked, unpackedPackage, untilInputEnds } from './debian-package.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';

/** A storage with the API of S3. */
export interface ObjectGateway {
  url: string;
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken: undefined };
  close(): Promise<void>;
}

const run = promisify(execFile);

const keys = {
  accessKeyId: 'the-key-of-the-tests',
  secretAccessKey: 'the-secret-of-the-tests',
  sessionToken: undefined,
};

/**
 * Starts Ceph's object gateway on a cluster of one monitor and one storage daemon, which stores objects in memory. On Debian
 * and Ubuntu, the distribution's is downloaded to `node_modules/.cache` (66 MB), unless it is installed.
 * @throws Error that says what to install
 */
export async function startObjectGateway(): Promise<ObjectGateway> {
  const { folder: root, env } = await findCeph();
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-ceph-'));
  const [port, messages, oldMessages] = await freePorts(3);
  const config = join(folder, 'ceph.conf');
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(folder, name));
  await writeFile(config, describeCluster({ folder, root, port, messages, oldMessages }));
  const path = (program: string) => join(root, 'usr/bin', program);
  const call = (program: string, ...args: string[]) => run(path(program), args, { cwd: folder, env });
  const spawned = (program: string, ...args: string[]) =>
    spawn('sh', ['-c', untilInputEnds, 'sh', path(program), '-c', config, ...args, '-f'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: folder,
      env,
    });

  await call('osdmaptool', '--createsimple', '1', 'osdmap', '--with-default-pool');
  await call('ceph-mon', '-c', config, '-i', 'a', '--mkfs', '--osdmap', 'osdmap');
  const children = [spawned('ceph-mon', '-i', 'a')];
  await call('ceph-osd', '-c', config, '-i', '0', '--mkfs', '--osd-uuid', fsid);
  children.push(spawned('ceph-osd', '-i', '0'));
  const names = ['--uid=tests', '--display-name=tests'];
  const secrets = [`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`];
  await call('radosgw-admin', '-c', config, ...gateway, 'user', 'create', ...names, ...secrets);
  children.push(spawned('radosgw', ...gateway));
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url));
  return {
    url,
    keys,
    async close() {
      const exits = children.map((child) => once(child, 'exit'));
      for (const child of children) child.stdin!.end();
      await Promise.all(exits);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const fsid = '5f1d2c3b-0000-4000-8000-000000000001';
const gateway = ['-n', 'client.rgw', '--no-mon-config'];

interface Cluster {
  folder: string;
  /** Folder with `usr/lib`. */
  root: string;
  port: number | undefined;
  messages: number | undefined;
  oldMessages: number | undefined;
}

const describeCluster = ({ folder, root, port, messages, oldMessages }: Cluster): string => {
  const libraries = `${root}/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  return `[global]
fsid = ${fsid}
mon_host = [v2:127.0.0.1:${messages},v1:127.0.0.1:${oldMessages}]
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc
ms_client_mode = crc
ms_cluster_mode = crc
ms_service_mode = crc
run_dir = ${folder}
admin_socket =
pid_file =
keyring = /dev/null
log_to_file = false
mon_cluster_log_to_file = false
plugin_dir = ${libraries}/ceph
erasure_code_dir = ${libraries}/ceph/erasure-code
osd_class_dir = ${libraries}/rados-classes
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_update_on_start = false
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data = ${folder}/mon
mon_data_avail_crit = 1
# Each pool is a proposal, which otherwise waits for a second.
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
rgw_data = ${folder}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_thread_pool_size = 16
[osd]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
`;
};

async function findCeph(): Promise<Unpacked> {
  const programs = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'osdmaptool'];
  const inFolder = async (unpacked: Unpacked) => {
    const checks = programs.map((program) =>
      run(join(unpacked.folder, 'usr/bin', program), ['--version'], { env: unpacked.env }).then(
        () => true,
        () => false,
      ),
    );
    return (await Promise.all(checks)).every(Boolean) ? unpacked : undefined;
  };
  const installed = await inFolder({ folder: '/', env: process.env });
  if (installed) return installed;
  return await unpackedPackage('ceph', ['ceph-mon ceph-osd radosgw'], inFolder).catch((cause) => {
    throw new Error('No Ceph to test with: install ceph-mon, ceph-osd and radosgw.', { cause });
  });
}
