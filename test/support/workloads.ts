import type { KubernetesObject } from './helm.ts';

interface Probe {
  httpGet: { path: string; port: string };
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  command?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  resources: object;
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
}

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: { terminationGracePeriodSeconds?: number; containers: Container[] };
}

interface Selector {
  matchLabels: object;
}

/** A Deployment or a Job, with its pods, which have one container each. */
interface Workload {
  kind: string;
  name: string;
  /** Absent in a Job: Kubernetes makes it. */
  selector: Selector | undefined;
  /** Labels of the pods. */
  labels: Record<string, string>;
  pod: PodTemplate['spec'];
  container: Container;
}

export function findWorkloads(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap(({ kind, metadata: { name }, spec }) => {
    if (!spec?.template) return [];
    const { selector, template } = spec as { selector?: Selector; template: PodTemplate };
    const { containers } = template.spec;
    if (containers.length !== 1) throw new Error(`${kind} ${name} has ${containers.length} containers.`);
    return [
      {
        kind,
        name,
        selector,
        labels: template.metadata.labels,
        pod: template.spec,
        container: containers[0]!,
      },
    ];
  });
}

export const selects = ({ matchLabels }: Selector, labels: Record<string, string>): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
