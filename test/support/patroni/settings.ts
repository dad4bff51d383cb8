import { join } from 'node:path';

/** Addresses and folder of a member of the cluster. */
export interface Member {
  name: string;
  /** Port of PostgreSQL. */
  port: number;
  /** Port of Patroni's REST. */
  restPort: number;
  /** Data directory of PostgreSQL. */
  data: string;
}

export interface ClusterSettings {
  scope: string;
  password: string;
  /** Folder of the programs of PostgreSQL. */
  binaries: string;
  etcdPort: number;
  /** `true`: a commit waits for a replica. */
  isSynchronous: boolean;
}

const local = '127.0.0.1';

/**
 * Seconds after which the cluster chooses another primary, if the primary's Patroni does not renew its lease. A shorter
 * lease ends by itself on a busy machine.
 */
const leaseSeconds = 10;

/** Settings of the whole cluster, which Patroni keeps in etcd. */
const shared = (isSynchronous: boolean) => ({
  ttl: leaseSeconds,
  loop_wait: 1,
  retry_timeout: 4,
  // A replica with fewer changes than this, in bytes, may become the primary.
  maximum_lag_on_failover: 64 * 1024 * 1024,
  synchronous_mode: isSynchronous,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      shared_buffers: '64MB',
      max_connections: 200,
      wal_log_hints: 'on',
      wal_retrieve_retry_interval: '200ms',
      unix_socket_directories: '',
    },
  },
});

/** Settings of a member's Patroni. */
export function describeMember(
  { name, port, restPort, data }: Member,
  { scope, password, binaries, etcdPort, isSynchronous }: ClusterSettings,
) {
  const login = { username: 'postgres', password };
  return {
    scope,
    name,
    restapi: { listen: `${local}:${restPort}`, connect_address: `${local}:${restPort}` },
    etcd3: { host: `${local}:${etcdPort}` },
    bootstrap: {
      dcs: shared(isSynchronous),
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
    },
    postgresql: {
      listen: `${local}:${port}`,
      connect_address: `${local}:${port}`,
      data_dir: data,
      bin_dir: binaries,
      pgpass: join(data, '..', 'pgpass'),
      authentication: { superuser: login, replication: login, rewind: login },
    },
  };
}

/** Settings of HAProxy: a port that leads to the primary, by what Patroni answers. */
export const describeProxy = (members: readonly Member[], port: number): string => `defaults
  mode tcp
  timeout connect 2s
  timeout check 5s
  timeout client 30m
  timeout server 30m
listen primary
  bind ${local}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500 fall 2 rise 1 on-marked-down shutdown-sessions
${members.map((one) => `  server ${one.name} ${local}:${one.port} check port ${one.restPort}`).join('\n')}
`;
