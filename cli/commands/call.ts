import type { Transaction } from '@mysten/sui/transactions';
import { appendOp, type OpInputs } from '../../lib/adaptor/append-op.ts';
import { readFixedObjects } from '../../lib/adaptor/draft/read-objects.ts';
import { normalizeAddress } from '../../lib/chain/names.ts';
import { messageOf } from '../../lib/errors/index.ts';
import type { Callable } from '../calling/callable.ts';
import { listedOp } from '../calling/listed-op.ts';
import { packageOp } from '../calling/package-op.ts';
import { valuesOf } from '../calling/values.ts';
import { type Io, Refusal, UsageError } from '../io.ts';
import { addressArgument, amountArgument, answer, pairArgument, several } from '../options.ts';
import { shortType } from '../output/short-type.ts';
import { type Executed, signAndExecute } from '../signing/execute.ts';
import { type Session, type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions, Omit<OpInputs, 'values'> {
  service?: string;
  package?: string;
  object?: string[];
  set?: [name: string, value: string][];
}

/** An op, executed as a manifest says, or as one would. */
export function callCommand(io: Io) {
  return signingCommand(
    'call',
    'Executes an op. In your own transaction a package may do with your wallet what you may: call what you trust, ' +
      'or call as a delegate of the wallet.',
  )
    .argument('<op>', 'the function, or module::function')
    .option('--service <type>', 'of a service in the catalog, as its manifest says')
    .option('--package <id>', 'or of a package that is not listed', addressArgument)
    .option(
      '--object <id>',
      'a shared object that the package works on; may be repeated',
      several(addressArgument),
    )
    .option('--wallet <id>', 'the wallet that it is for', addressArgument)
    .option('--amount <units>', 'what goes out, in base units', amountArgument)
    .option('--min-out <units>', 'the least that must come in', amountArgument)
    .option('--coin-in <type>', 'the coin that goes out of the wallet')
    .option('--coin-out <type>', 'the coin that comes in')
    .option('--set <name=value>', 'a value that the op asks for; may be repeated', several(pairArgument))
    .action(async (name: string, options: Options) => {
      const executed = await withSession(io, options, async (session) => {
        const callable = await callableOf(session, name, options);
        const append = appendCall(callable, options);
        await requireFixed(session, callable);
        const { op, title } = callable;
        return await signAndExecute(session, `${op.module}::${op.entry} of ${title}`, append);
      });
      answer(io, options, executed, () => linesOf(executed));
    });
}

function callableOf(session: Session, name: string, options: Options): Promise<Callable> {
  const { service, package: packageId, object: objects = [] } = options;
  if (service !== undefined && packageId === undefined) return listedOp(session, service, name);
  if (service === undefined && packageId !== undefined) {
    return packageOp(session, packageId, { name, objects });
  }
  throw new UsageError('Give --service with a service type, or --package with an id.');
}

/** @throws UsageError for a value that the op does not know, and, when it appends, for an input that it lacks */
function appendCall({ packageId, op }: Callable, options: Options): (tx: Transaction) => void {
  const { wallet, amount, minOut, coinIn, coinOut } = options;
  const inputs = { wallet, amount, minOut, coinIn, coinOut, values: valuesOf(op, options.set ?? []) };
  const given = Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
  return (tx) => {
    try {
      appendOp(tx, packageId, op, given);
    } catch (error) {
      throw new UsageError(`${messageOf(error)} See --help for how to give it.`);
    }
  };
}

/** A manifest names its objects: an object of the signer's own is nothing that a stranger may hand on. */
async function requireFixed({ client }: Session, { op }: Callable): Promise<void> {
  const args = op.call?.args ?? [];
  const ids = args.flatMap((one) => (one.role === 'object' ? [normalizeAddress(one.objectId)!] : []));
  if (ids.length === 0) return;
  const objects = await readFixedObjects(client, ids);
  if (objects.status === 'unavailable') {
    throw new Refusal(`The node does not answer (${objects.reason}): try again.`);
  }
  const missing = ids.filter((id) => objects.status === 'absent' || !objects.value.has(id));
  if (missing.length === 0) return;
  throw new Refusal(`No shared or immutable object: ${missing.join(', ')}. Nothing was signed.`);
}

const linesOf = ({ digest, events }: Executed) => [
  `digest  ${digest}`,
  ...events.map(({ type, json }) => `event   ${shortType(type)} ${JSON.stringify(json)}`),
];
