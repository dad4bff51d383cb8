import { manifestSchema } from '../../lib/adaptor/manifest.ts';
import { parseServiceType } from '../../lib/chain/names.ts';
import { catalogAnswer } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, UsageError } from '../io.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';

/** Characters that the catalog searches for. */
const queryLengthMax = 200;

/**
 * The op of a listed service, as its manifest says. The manifest chooses the objects that the op works on, so it must
 * be that of the package's own publisher: anyone may list anyone's package, with a jar of their own to be paid into.
 * @throws UsageError where it has no such op, or several; Refusal for a listing of a stranger's
 */
export async function listedOp({ api, network }: Session, service: string, name: string): Promise<Callable> {
  const { body } = await api.get('/api/adaptors', { network, q: service.slice(0, queryLengthMax) });
  const entry = read(catalogAnswer, body).adaptors.find(({ serviceType }) => serviceType === service);
  if (!entry) throw new Refusal(`The catalog of ${network} has no ${service}.`);
  if (!entry.publisherVerified) {
    throw new Refusal(
      `${service} is listed by a stranger, not by a publisher of its package: the op could work on objects of theirs. ` +
        'To call the package with objects of your choice, give --package and --object.',
    );
  }
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
