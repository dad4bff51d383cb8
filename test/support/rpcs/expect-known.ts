import { afterAll, expect } from 'vitest';
import { nodeChecks } from '../../../packages/cli/src/doctor/checks.ts';
import { recordRpcs } from './record-rpcs.ts';

const known = new Set(nodeChecks.map(({ rpc }) => rpc));
const unknown = new Set<string>();
const end = recordRpcs((rpc) => {
  if (!known.has(rpc)) unknown.add(rpc);
});

afterAll(() => {
  end();
  expect([...unknown], 'RPCs that the service used and `doctor` does not check').toEqual([]);
});
