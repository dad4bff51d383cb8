import { appendOp, type OpInputs } from '@adaptor-marketplace/adaptor/append-op';
import { coinUnits } from '@adaptor-marketplace/adaptor/chain/coin-units';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type ActionBounds, asAction, byCoin } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Transaction } from '@mysten/sui/transactions';
import {
  addressArgument,
  amountArgument,
  anyTypeArgument,
  boundArgument,
  functionArgument,
  pairArgument,
  serviceArgument,
  several,
  typeArgument,
} from '../arguments.ts';
import { boundsOf, type CoinOptions, type Coins, coinsFor } from '../calling/bounds.ts';
import { boundsInWords } from '../calling/bounds-in-words.ts';
import type { Callable } from '../calling/callable.ts';
import { listedOp } from '../calling/listed-op.ts';
import { explainLock, requireLockable, walletPackageOf } from '../calling/lock.ts';
import { packageOp } from '../calling/package-op.ts';
import { resolved } from '../calling/resolved.ts';
import { serviceOf } from '../calling/service.ts';
import { coinsByTypeArgs } from '../calling/type-args.ts';
import { askedOf, valuesOf } from '../calling/values.ts';
import { type Io, Refusal, say, UsageError } from '../io.ts';
import { answer } from '../options.ts';
import { shortType } from '../output/short-type.ts';
import { type Executed, signAndExecute } from '../signing/execute.ts';
import { type Session, type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions, CoinOptions {
  service?: string;
  package?: string;
  witness?: string;
  object?: string[];
  wallet?: string;
  set?: [name: string, value: string][];
  typeArg?: string[];
  /** Commander's name for `--without-bounds`. */
  withoutBounds?: boolean;
  gasMax?: bigint;
}

/** MIST: what an action of the agent may use too. */
const gasMaxUsual = 50_000_000n;

const examples = `
The wallet holds the op to bounds: only its service acts, what leaves is at most --amount of --coin-in or what --take
says, and what comes is at least --min-out of --coin-out or what --bring says. Without any of these nothing leaves.
Gas is bounded by --gas-max, since the storage that an op fills is paid by you and given back to its publisher.

Examples:
  adaptor-marketplace call swap --service 0xa1...::pool::Pool --wallet 0xb2... --amount 1000000000 --min-out 2950000 \\
    --coin-in 0x2::sui::SUI --coin-out 0xc3...::usdc::USDC
  adaptor-marketplace call open --service 0xd4...::range::Range --wallet 0xb2... --set amountA=500 --set amountB=20 \\
    --take 0x2::sui::SUI=500 --take 0xc3...::usdc::USDC=20
  adaptor-marketplace call pay --package 0xe5... --wallet 0xb2... --amount 5000 --type-arg 0x2::sui::SUI \\
    --set recipient=0xf6...`;

/** An op, executed as a manifest says, or as one would. */
export function callCommand(io: Io) {
  return signingCommand('call', "Executes an op, within bounds that the wallet's own lock holds it to.")
    .argument('<op>', 'the function, or module::function', functionArgument)
    .option('--service <type>', 'of a service in the catalog, as its manifest says', serviceArgument)
    .option('--package <id>', 'or of a package that is not listed', addressArgument)
    .option('--witness <type>', 'the service of --package that acts, where it has several')
    .option(
      '--object <id>',
      'a shared object that the package works on; may be repeated',
      several(addressArgument),
    )
    .option('--wallet <id>', 'the wallet that it is for', addressArgument)
    .option('--amount <units>', 'what goes out, in base units', amountArgument)
    .option('--min-out <units>', 'the least that must come in', amountArgument)
    .option('--coin-in <type>', 'the coin that goes out of the wallet', typeArgument)
    .option('--coin-out <type>', 'the coin that comes in', typeArgument)
    .option(
      '--type-arg <type>',
      "a type argument of a generic function, in the function's order; may be repeated",
      several(anyTypeArgument),
    )
    .option('--set <name=value>', 'a value that the op asks for; may be repeated', several(pairArgument))
    .option(
      '--take <coin=units>',
      'the most that may leave of a coin, in place of --amount; may be repeated; none: nothing leaves',
      boundArgument,
    )
    .option(
      '--bring <coin=units>',
      'the least that must come of a coin, in place of --min-out; may be repeated; none: nothing must',
      boundArgument,
    )
    .option(
      '--without-bounds',
      'call it without the lock: in your own transaction it may then do with the wallet all that you may',
    )
    .option(
      '--gas-max <mist>',
      `the most gas that is signed for, in MIST; else ${gasMaxUsual}, which is 0.05 SUI`,
      amountArgument,
    )
    .addHelpText('after', examples)
    .action(async (name: string, options: Options) => {
      const called = await withSession(io, options, (session) => call(session, name, options));
      answer(io, options, called, () => linesOf(called));
    });
}

interface Called extends Executed {
  /** What the wallet held the op to, amounts as decimal digits; null where it had no lock. */
  bounds: { service: string; takes: DigitAmount[]; brings: DigitAmount[] } | null;
}
interface DigitAmount {
  coinType: string;
  amount: string;
}

async function call(session: Session, name: string, options: Options): Promise<Called> {
  const callable = await callableOf(session, name, options);
  const { op, title } = callable;
  const known = await resolved(session, callable);
  const coins = coinsFor(known, { ...options, ...coinsByTypeArgs(op, options.typeArg, options) });
  const append = appendCall(callable, coins, options);
  const { gasMax = gasMaxUsual } = options;
  const what = `${op.module}::${op.entry} of ${title}`;
  const takesWallet = known.op.call.args.some(({ role }) => role === 'wallet');
  requireFitting(options, what, takesWallet);
  if (!takesWallet) return { ...(await signAndExecute(session, what, append, { gasMax })), bounds: null };

  const walletPackage = await walletPackageOf(session, options.wallet!);
  const signing = { ...session, walletPackage };
  if (options.withoutBounds) {
    say(session.io.err, [
      `warning  no bounds: in a transaction of its owner's, ${title} may do with the wallet all that the owner may`,
    ]);
    return { ...(await signAndExecute(signing, what, append, { gasMax })), bounds: null };
  }
  const bounds = { service: serviceOf(callable, options.witness), ...boundsOf(known, coins, options) };
  await requireLockable(session, walletPackage, callable);
  await sayBounds(session, bounds);
  const target = { packageId: walletPackage.calledId, wallet: options.wallet! };
  const executed = await signAndExecute(
    signing,
    what,
    (tx) => asAction(tx, target, bounds, () => append(tx)),
    { gasMax },
  ).catch((error: unknown) => {
    throw explainLock(error, walletPackage);
  });
  return { ...executed, bounds: inDigits(bounds) };
}

function callableOf(session: Session, name: string, options: Options): Promise<Callable> {
  const { service, package: packageId, object: objects = [] } = options;
  if (service !== undefined && packageId === undefined) {
    if (options.witness !== undefined)
      throw new UsageError('--witness goes with --package: a listing has one service.');
    return listedOp(session, service, name);
  }
  if (service === undefined && packageId !== undefined) {
    return packageOp(session, packageId, { name, objects, typeArgs: options.typeArg });
  }
  throw new UsageError('Give either --service with a service type, or --package with an id.');
}

/** @throws UsageError for a value that the op does not know, and for the inputs that it lacks */
function appendCall(
  { title, packageId, op }: Callable,
  coins: Coins,
  options: Options,
): (tx: Transaction) => void {
  const { wallet, amount, minOut } = options;
  const values = valuesOf(op, options.set ?? []);
  const given = Object.entries({ wallet, amount, minOut }).filter(([, value]) => value !== undefined);
  const inputs: OpInputs = { ...Object.fromEntries(given), ...coins, values };
  const missing = missingInputs(op, inputs);
  if (missing.length > 0) {
    throw new UsageError(`${op.module}::${op.entry} needs more: ${missing.join(', ')}.`);
  }
  return (tx) => {
    try {
      appendOp(tx, packageId, op, inputs);
    } catch (error) {
      // A value that the manifest itself fixes may be none of its type.
      throw new Refusal(`${title} does not say how ${op.module}::${op.entry} is called: ${messageOf(error)}`);
    }
  };
}

/** The options that an op needs and that are not given. */
function missingInputs(op: Callable['op'], inputs: OpInputs): string[] {
  const options = {
    wallet: '--wallet <id>',
    amount: '--amount <units>',
    minOut: '--min-out <units>',
    coinIn: '--coin-in <type>',
    coinOut: '--coin-out <type>',
  };
  const asked = [...(op.call?.args ?? []).map(({ role }) => role), ...(op.call?.typeArgs ?? [])];
  const lacking = Object.entries(options).flatMap(([name, option]) =>
    asked.includes(name) && inputs[name as keyof typeof options] === undefined ? [option] : [],
  );
  const unset = [...askedOf(op)].filter(([name]) => inputs.values?.[name] === undefined);
  return [...lacking, ...unset.map(([name, type]) => `--set ${name}=<${type}>`)];
}

/** Bounds that nothing would hold are refused, lest they are counted on. */
function requireFitting({ take, bring, withoutBounds }: Options, what: string, takesWallet: boolean): void {
  if (take === undefined && bring === undefined) return;
  if (!takesWallet) throw new UsageError(`${what} takes no wallet: --take and --bring say nothing of it.`);
  if (withoutBounds) throw new UsageError('--take and --bring are bounds: leave --without-bounds out.');
}

async function sayBounds({ io, client }: Session, bounds: ActionBounds): Promise<void> {
  const named = [...bounds.takes, ...bounds.brings].map(({ coinType }) => coinType);
  say(io.err, boundsInWords(bounds, await coinUnits(client).read(named)));
}

function inDigits({ service, takes, brings }: ActionBounds): Called['bounds'] {
  const digits = (amounts: ActionBounds['takes']) =>
    byCoin(amounts).map(({ coinType, amount }) => ({ coinType, amount: String(amount) }));
  return { service, takes: digits(takes), brings: digits(brings) };
}

const linesOf = ({ digest, events }: Executed) => [
  `digest  ${digest}`,
  ...events.map(({ type, json }) => `event   ${shortType(type)} ${JSON.stringify(json)}`),
];
