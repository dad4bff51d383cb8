import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { createAddressRules } from '../../lib/outbound/guard.ts';
import { renderChart } from '../support/helm.ts';
import { findWorkloads, selects } from '../support/workloads.ts';

/** Address blocks that all pods reach. */
async function readEgress(values: object = {}) {
  const policies = (await renderChart('minimal', values)).filter(({ kind }) => kind === 'NetworkPolicy');
  const rules = policies.flatMap(({ spec }) => (spec.egress ?? []) as { to?: Peer[] }[]);
  return rules.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : [])));
}

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
}

const isIn = (text: string, cidr: string) => {
  const [range, bits] = ipaddr.parseCIDR(cidr);
  const address = ipaddr.parse(text);
  return address.kind() === range.kind() && address.match(range, bits);
};
const isReached = (address: string, blocks: NonNullable<Peer['ipBlock']>[]) =>
  blocks.some(
    ({ cidr, except = [] }) => isIn(address, cidr) && !except.some((range) => isIn(address, range)),
  );

test('pods reach public addresses, and of private ones only those that the values name', async () => {
  const blocks = await readEgress();
  const judge = createAddressRules([]);
  for (const address of ['1.1.1.1', '203.0.114.1', '223.255.255.254', '2606:4700::1111', '2a00::1']) {
    expect([address, judge(address).reach, isReached(address, blocks)]).toEqual([address, 'global', true]);
  }
  const hidden = [
    ...['10.0.0.5', '172.31.255.255', '192.168.1.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0'],
    ...['198.18.0.1', '192.0.0.8', '224.0.0.1', '255.255.255.255', '::1', '::ffff:10.0.0.1', 'fd00:ec2::254'],
    ...['fe80::1', '64:ff9b::a00:1', '2002:a00:1::1', '2001:0:a00:1::1', 'ff02::1'],
  ];
  for (const address of hidden) {
    expect([address, judge(address).reach, isReached(address, blocks)]).toEqual([
      address,
      'forbidden',
      false,
    ]);
  }
  const named = await readEgress({ networkPolicy: { egressTo: [{ ipBlock: { cidr: '10.0.0.0/24' } }] } });
  expect([isReached('10.0.0.5', named), isReached('10.0.1.5', named)]).toEqual([true, false]);
});

test('the agent hears gateways only, and the gateway whom the values name', async () => {
  const policies = (await renderChart('everything')).filter(({ kind }) => kind === 'NetworkPolicy');
  const workloads = findWorkloads(await renderChart('everything'));
  const components = (selector: { matchLabels: object }) =>
    workloads.flatMap(({ labels }) =>
      selects(selector, labels) ? [labels['app.kubernetes.io/component']] : [],
    );
  const heard = policies.map(({ spec }) => {
    const rules = (spec.ingress ?? []) as { ports: { port: string }[]; from: Record<string, unknown>[] }[];
    return [
      components(spec.podSelector as { matchLabels: object }).sort(),
      rules.map(({ ports, from }) => [ports.map(({ port }) => port), from.map((peer) => Object.keys(peer))]),
    ];
  });
  expect(heard).toEqual([
    [['agent', 'dispatcher', 'gateway', 'indexer', 'migration'], [[['metrics'], [['namespaceSelector']]]]],
    [['gateway'], [[['http'], [['namespaceSelector']]]]],
    [['agent'], [[['http'], [['podSelector']]]]],
  ]);
  const [, , agent] = policies;
  const [{ from }] = agent!.spec.ingress as [{ from: [{ podSelector: { matchLabels: object } }] }];
  expect(components(from[0].podSelector)).toEqual(['gateway']);
});
