import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import { listedManifestSchema } from '@adaptor-marketplace/adaptor/manifest';
import { isExecutable, type ListedOp, opFault } from '@adaptor-marketplace/adaptor/op';
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
 * @throws UsageError where it has no such op, or several; Refusal for a listing of a stranger's, or where the op is not
 * executable
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
  const manifest = read(listedManifestSchema, entry.manifest);
  const { name: title, packageId } = manifest;
  const ops: readonly ListedOp[] = manifest.ops;
  const found = ops.filter((op) => name === op.entry || name === nameOf(op));
  const [op] = found;
  if (!op || found.length > 1) {
    const known = ops.filter(isExecutable).map(nameOf).join(', ') || 'none that can be executed';
    throw new UsageError(`${title} has ${op ? 'several' : 'no'} ${name}: ${known}.`);
  }
  if (!isExecutable(op)) {
    throw new Refusal(`${title} lists ${name}, but it cannot be executed. ${opFault(op)?.detail}`);
  }
  return { title, packageId, op, witnesses: witnessesOf(service) };
}

const nameOf = ({ module, entry }: ListedOp) => `${module}::${entry}`;

/** Of the type that was asked for, not of one that the manifest names. */
function witnessesOf(service: string): Callable['witnesses'] {
  const parsed = parseServiceType(service);
  if ('error' in parsed) throw new Refusal(`${service} is no service type: ${parsed.error}.`);
  return [{ module: parsed.module, name: parsed.witness, serviceType: parsed.canonical, warnings: [] }];
}
