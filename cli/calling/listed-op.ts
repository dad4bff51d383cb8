import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import { manifestSchema } from '@adaptor-marketplace/adaptor/manifest';
import { catalogAnswer } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, UsageError } from '../io.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';

/** Characters that the catalog searches for. */
const queryLengthMax = 200;

/** The op of a listed service, as its manifest says. @throws UsageError where it has no such op, or several */
export async function listedOp({ api, network }: Session, service: string, name: string): Promise<Callable> {
  const { body } = await api.get('/api/adaptors', { network, q: service.slice(0, queryLengthMax) });
  const entry = read(catalogAnswer, body).adaptors.find(({ serviceType }) => serviceType === service);
  if (!entry) throw new Refusal(`The catalog of ${network} has no ${service}.`);
  const { name: title, packageId, ops } = read(manifestSchema, entry.manifest);
  const found = ops.filter(({ module, entry: own }) => name === own || name === `${module}::${own}`);
  if (found.length === 1) return { title, packageId, op: found[0]!, witnesses: witnessesOf(service) };
  const known = ops.map((one) => `${one.module}::${one.entry}`).join(', ');
  throw new UsageError(`${title} has ${found.length === 0 ? 'no' : 'several'} ${name}: ${known}.`);
}

/** Of the type that was asked for, not of one that the manifest names. */
function witnessesOf(service: string): Callable['witnesses'] {
  const parsed = parseServiceType(service);
  if ('error' in parsed) throw new Refusal(`${service} is no service type: ${parsed.error}.`);
  return [{ module: parsed.module, name: parsed.witness, serviceType: parsed.canonical, warnings: [] }];
}
