import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { cloudNativePgCluster } from './cloud-native-pg.ts';
import type { KubernetesObject } from './helm.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Module with the models of an API, made from the schemas that Kubernetes and KEDA publish. */
function findModels(apiVersion: string): string {
  if (apiVersion.startsWith('keda.sh/')) return `@kubernetes-models/keda/${apiVersion}`;
  return `kubernetes-models/${apiVersion}`;
}

const isCluster = ({ apiVersion }: KubernetesObject) => apiVersion.startsWith('postgresql.cnpg.io/');
const validateCluster = new Ajv({ strict: false, allErrors: true }).compile(cloudNativePgCluster);

/** Returns what the published schemas find wrong with the objects: types, missing fields, values, and unknown fields. */
export async function findSchemaFaults(objects: readonly KubernetesObject[]): Promise<string[]> {
  const others = objects.filter((object) => !isCluster(object));
  const clusters = objects.filter(isCluster).flatMap((object) => {
    if (validateCluster(object)) return [];
    return validateCluster.errors!.map(({ instancePath, message }) => `Cluster${instancePath} ${message}`);
  });
  const values = await Promise.all(others.map(findValueFaults));
  return [...clusters, ...values.flat(), ...(await findUnknownFields(others))];
}

async function findValueFaults(object: KubernetesObject): Promise<string[]> {
  const models = await import(findModels(object.apiVersion));
  try {
    new models[object.kind](object).validate();
    return [];
  } catch (error) {
    return [`${object.kind} ${object.metadata.name}: ${error}`];
  }
}

/** The schemas allow fields that they do not name, and servers drop them. The compiler refuses them in a literal. */
async function findUnknownFields(objects: readonly KubernetesObject[]): Promise<string[]> {
  const lines = objects.map((object, index) => {
    const type = `import('${findModels(object.apiVersion)}').I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object)};`;
  });
  // The modules are found from a folder of the repository.
  const folder = await mkdtemp(join(root, 'node_modules/.cache/adaptor-marketplace/objects-'));
  try {
    const file = join(folder, 'objects.ts');
    await writeFile(file, lines.join('\n'));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext'];
    return await run(process.execPath, [compiler, ...options, file]).then(
      () => [],
      (error: { stdout: string }) => error.stdout.trim().split('\n'),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
