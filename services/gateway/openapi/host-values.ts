import type { ReferenceOperation } from '../../../web/pages/reference.ts';
import { buildExampleVariables, type ExampleObjects } from '../examples/objects.ts';
import { id, owner, packageId, publisher, serviceType, walletId } from './parts.ts';

/** Pairs of a value of the examples and the one to show in its place. The first pair that matches counts. */
type HostValues = readonly (readonly [example: string, own: string])[];

/** Returns values of this host for those of the examples, as far as the index has such objects. */
export function findHostValues(found: ExampleObjects | undefined, network: string): HostValues {
  const { byId = {}, ofAddress = {} } = found ? buildExampleVariables(found) : {};
  const type = byId.serviceType;
  const pairs: [string, unknown][] = [
    // A service type begins with its package.
    [serviceType, type],
    [packageId, typeof type === 'string' ? type.split('::')[0] : undefined],
    [publisher, byId.publisher],
    [walletId, byId.walletId],
    [owner, ofAddress.owner],
    [id('3'), byId.jobId],
    [id('4'), ofAddress.recipient ?? byId.agent],
    ['testnet', network],
  ];
  return pairs.flatMap(([example, own]) => (typeof own === 'string' ? [[example, own] as const] : []));
}

/** Puts the values of this host into the request of an operation. The example of its response stays. */
export function fillHostValues(operation: ReferenceOperation, values: HostValues): ReferenceOperation {
  const fill = (text: string): string => values.find(([example]) => example === text)?.[1] ?? text;
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.map(fillAll);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillAll(one)]));
  };
  const { body, parameters } = operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) => ({ ...parameter, value: fill(parameter.value) })),
    ...(body && { body: { ...body, examples: fillAll(body.examples) as Record<string, unknown> } }),
  };
}
