import { describe, expect, test } from 'vitest';
import { maskSecret } from '../../lib/config/describe.ts';
import { loadConfig, settingShapes } from '../../lib/config/index.ts';
import { roles } from '../../services/roles/roles.ts';
import { useTestDatabase } from '../support/database.ts';
import { renderChart } from '../support/helm.ts';
import { findSchemaFaults } from '../support/kubernetes-schemas.ts';
import { type Container, findWorkloads, selects } from '../support/workloads.ts';

const examples = ['minimal', 'external-database', 'everything'] as const;
const isSecret = (name: string) => maskSecret(name, 'https://x.test') === '[masked]';

/** Values of the secrets that the examples name. */
const secretValues: Readonly<Record<string, string>> = {
  AGENT_SECRET_KEY: 'suiprivkey1',
  DATABASE_PASSWORD: 'password',
  DATABASE_URL: 'postgres://x.test/x',
  DIRECT_DATABASE_URL: 'postgres://y.test/x',
  INTERNAL_AGENT_SECRET: 'x'.repeat(32),
  MARKETPLACE_ADMIN_SECRET: 'x'.repeat(32),
  READ_DATABASE_URLS: 'postgres://z.test/x',
  MARKETPLACE_ADMIN_SECRET_FALLBACK: 'y'.repeat(32),
  REDIS_URL: 'redis://x.test',
  SUI_MAINNET_RPC_URL: 'https://main.test',
  SUI_TESTNET_RPC_URL: 'https://test.test',
};

/** The environment of a container, with the secrets that it names. As in Kubernetes, `$(NAME)` is an earlier variable. */
function readEnvironment({ env }: Container): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { name, value } of env) {
    environment[name] =
      value?.replaceAll(/\$\((\w+)\)/g, (_, earlier) => environment[earlier]!) ?? secretValues[name]!;
  }
  return environment;
}

describe.each(examples)('with examples/%s.yaml', (example) => {
  const rendered = renderChart(example);

  test('the objects are as their published schemas want them, without unknown fields', async () => {
    expect(await findSchemaFaults(await rendered)).toEqual([]);
  });

  test('each role that the values name has a Deployment, which starts roles of the service', async () => {
    const started = findWorkloads(await rendered).flatMap(({ kind, container }) =>
      kind === 'Deployment' ? [container.args!] : [],
    );
    const all = [['gateway'], ['indexer'], ['dispatcher'], ['tools', 'agent']];
    const expected = example === 'everything' ? all : all.slice(0, 2);
    expect(started.sort()).toEqual(expected.sort());
    for (const role of started.flat()) expect(roles).toContain(role);
  });

  test('each variable is a setting, a secret comes from a secret, and the settings agree', async () => {
    const objects = await rendered;
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
    for (const { kind, container } of findWorkloads(objects)) {
      for (const { name, value, valueFrom } of container.env) {
        const isPart = container.env.some((other) => other.value?.includes(`$(${name})`));
        if (!isPart) expect(Object.keys(settingShapes)).toContain(name);
        if (!isPart && !isSecret(name)) continue;
        // A value with parts is as secret as these, and each of them is looked at by itself.
        const [part] = /\$\(\w+\)/.exec(value ?? '') ?? [];
        if (part) expect(container.env.map((other) => `$(${other.name})`)).toContain(part);
        else expect([name, value, Boolean(valueFrom?.secretKeyRef)]).toEqual([name, undefined, true]);
      }
      expect(new Set(container.env.map(({ name }) => name)).size).toBe(container.env.length);
      const config = loadConfig(readEnvironment(container));
      expect(config.warnings).toEqual([]);
      if (kind === 'Job') continue;
      const opened = Object.fromEntries(container.ports!.map((port) => [port.name, port.containerPort]));
      const [first] = container.args!;
      expect(config).toMatchObject({ host: '0.0.0.0', metricsPort: opened.metrics, dataDir: '/data' });
      if (first === 'gateway') expect(config.ports.http).toMatchObject({ port: opened.http, required: true });
      if (first === 'tools') expect(config).toMatchObject({ agentHost: '0.0.0.0', agentPort: opened.http });
      expect(config.networks.length + Object.keys(config.unserved).length).toBeGreaterThan(0);
    }
  });

  test('each selector finds pods, each target exists, and no two objects have one name', async () => {
    const objects = await rendered;
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    const workloads = findWorkloads(objects);
    for (const { selector, labels } of workloads) if (selector) expect(selects(selector, labels)).toBe(true);
    const selectors = objects.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [{ matchLabels: spec.selector }];
      if (kind === 'PodDisruptionBudget') return [spec.selector];
      return kind === 'NetworkPolicy' ? [spec.podSelector] : [];
    });
    expect(selectors.length).toBeGreaterThan(3);
    for (const selector of selectors)
      expect(workloads.some(({ labels }) => selects(selector as { matchLabels: object }, labels))).toBe(true);
    for (const { spec } of objects) {
      const target = spec.scaleTargetRef as { name: string } | undefined;
      if (target) expect(names).toContain(`Deployment/${target.name}`);
    }
    const budgets = objects.flatMap(({ kind, metadata }) =>
      kind === 'PodDisruptionBudget' ? [metadata.name] : [],
    );
    expect(budgets.sort()).toEqual(
      workloads.flatMap(({ kind, name }) => (kind === 'Deployment' ? [name] : [])).sort(),
    );
  });

  test('a Service and a probe name a port that the pods open, and the agent is found by its Service', async () => {
    const objects = await rendered;
    const workloads = findWorkloads(objects);
    for (const { container } of workloads) {
      const open = container.ports?.map(({ name }) => name);
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        if (probe) expect(open).toContain(probe.httpGet.port);
    }
    for (const { kind, spec } of objects) {
      if (kind !== 'Service') continue;
      const pods = workloads.filter(({ labels }) =>
        selects({ matchLabels: spec.selector as object }, labels),
      );
      expect(pods).toHaveLength(1);
      for (const { targetPort } of spec.ports as { targetPort: string }[])
        expect(pods[0]!.container.ports!.map(({ name }) => name)).toContain(targetPort);
    }
    const gateway = workloads.find(({ container }) => container.args?.[0] === 'gateway')!;
    const { AGENT_URL: agentUrl } = readEnvironment(gateway.container);
    const agent = objects.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-agent'),
    );
    expect(agentUrl).toBe(agent && `http://${agent.metadata.name}:8090`);
  });

  test('no pod runs as root, writes to its image, or can call the Kubernetes API', async () => {
    const workloads = findWorkloads(await rendered);
    for (const { pod, container } of workloads) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
      expect(Object.keys(container.resources)).toEqual(['limits', 'requests']);
    }
  });

  test('a pod that stops has time for the requests and the deliveries in progress', async () => {
    for (const { kind, pod, container } of findWorkloads(await rendered)) {
      if (kind === 'Job') continue;
      const [, seconds = '0'] = container.lifecycle?.preStop.exec.command ?? [];
      // HTTP servers wait 10.1 s for requests, dispatchers 15 s for an exchange and 1 s for its result.
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 16);
    }
  });
});

test('a misspelt field, a wrong value and a missing field of each kind of object are found', async () => {
  const objects = await renderChart('everything');
  const find = (kind: string) => structuredClone(objects.find((object) => object.kind === kind)!);
  const [policy, cluster, scaled, job] = ['NetworkPolicy', 'Cluster', 'ScaledObject', 'Job'].map(find);
  Object.assign(policy!.spec, { policyType: [] });
  Object.assign(cluster!.spec, { instances: '3' });
  Object.assign(scaled!.spec, { minReplicas: 1 });
  Object.assign(job!.spec, { template: undefined });
  const faults = (await findSchemaFaults([policy!, cluster!, scaled!, job!])).join('\n');
  expect(faults).toMatch(/'"?policyType"?' does not exist/);
  expect(faults).toContain('Cluster/spec/instances must be integer');
  expect(faults).toMatch(/'"?minReplicas"?' does not exist/);
  expect(faults).toMatch(/Job .*template/);
});

test('a secret reaches only the roles that use it', async () => {
  const workloads = findWorkloads(await renderChart('everything'));
  const readers = (secret: string) =>
    workloads.flatMap(({ name, container }) =>
      container.env.some((variable) => variable.name === secret) ? [name.replace(/.*-/, '')] : [],
    );
  expect(readers('AGENT_SECRET_KEY')).toEqual(['agent']);
  expect(readers('INTERNAL_AGENT_SECRET').sort()).toEqual(['agent', 'gateway']);
  expect(readers('MARKETPLACE_ADMIN_SECRET').sort()).toEqual(['agent', 'dispatcher', 'gateway']);
  expect(readers('MARKETPLACE_ADMIN_SECRET_FALLBACK').sort()).toEqual(['dispatcher', 'gateway']);
  const job = workloads.find(({ kind }) => kind === 'Job')!;
  expect(job.container.env.map(({ name }) => name)).toEqual(['DATABASE_URL']);
});

test('a database is migrated before a new version starts, and before the first one if it exists by then', async () => {
  const readHook = async (example: string) => {
    const job = (await renderChart(example)).find(({ kind }) => kind === 'Job')!;
    return job.metadata.annotations!['helm.sh/hook'];
  };
  expect(await readHook('external-database')).toBe('pre-install,pre-upgrade');
  expect(await readHook('minimal')).toBe('pre-upgrade');
});

test('a stopped release runs no role, and nothing scales one up', async () => {
  const objects = await renderChart('everything', { stopped: true });
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  expect(deployments.map(({ spec }) => spec.replicas)).toEqual([0, 0, 0, 0]);
  expect(objects.filter(({ spec }) => spec.scaleTargetRef)).toEqual([]);
});

test('what scales by load has no fixed number of replicas, which an upgrade would set again', async () => {
  const objects = await renderChart('everything');
  const replicas = objects.flatMap(({ kind, metadata, spec }) =>
    kind === 'Deployment' ? [[metadata.name.replace(/.*-/, ''), spec.replicas]] : [],
  );
  expect(Object.fromEntries(replicas)).toEqual({
    agent: 2,
    dispatcher: undefined,
    gateway: undefined,
    indexer: 2,
  });
});

describe('the query by which dispatchers scale', () => {
  const db = useTestDatabase();

  test('counts subscriptions that are being sent to, and those that wait too long', async () => {
    const objects = await renderChart('everything');
    const scaled = objects.find(({ kind }) => kind === 'ScaledObject')!;
    const [{ metadata }] = scaled.spec.triggers as [
      { metadata: { query: string; targetQueryValue: string } },
    ];
    expect(metadata.targetQueryValue).toBe('256');
    const count = async () => Object.values((await db.pool.query(metadata.query)).rows[0]);
    expect(await count()).toEqual([0]);
    await db.pool.query(`insert into webhook_subscriptions (subscription, lease, leased_until, removed_at) values
      ('wh_1', 'a', now() + interval '1 hour', null), ('wh_2', 'a', now() - interval '1 hour', null),
      ('wh_3', 'b', now() + interval '1 hour', now()), ('wh_4', null, null, null)`);
    await db.pool.query(`insert into webhook_retries (subscription, stream, event, due_at) values
      ('wh_4', 'testnet', 'Test', now() - interval '1 hour'), ('wh_4', 'testnet', 'Test', now() - interval '2 hours'),
      ('wh_2', 'testnet', 'Test', now() + interval '1 hour')`);
    expect(await count()).toEqual([2]);
  });
});

test.each([
  ['minimal', 'postgres://marketplace:password@market-adaptor-marketplace-database-ro:5432/marketplace'],
  ['everything', undefined],
] as const)(
  'gateways read from the replica of a cluster that has one: examples/%s.yaml',
  async (example, url) => {
    const workloads = findWorkloads(await renderChart(example));
    for (const { name, container } of workloads) {
      expect(readEnvironment(container).READ_DATABASE_URLS).toBe(name.endsWith('-gateway') ? url : undefined);
    }
  },
);
