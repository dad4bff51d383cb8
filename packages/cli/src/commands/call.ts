import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { type CoinUnit, coinUnits } from '@adaptor-marketplace/adaptor/chain';
import { listOpArguments, listOpSteps, listRequiredValues } from '@adaptor-marketplace/adaptor/manifest';
import {
  type ActionBounds,
  appendAction,
  appendOp,
  type OpInputs,
  sumByCoin,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Transaction } from '@mysten/sui/transactions';
import {
  type CoinOptions,
  type Coins,
  deriveBounds,
  describeBounds,
  describeFixedParts,
  parseValues,
  resolveCoins,
  resolveCoinsByTypeArgs,
} from '../calling/arguments.ts';
import { explainLock, readWalletPackage, requireLockable, resolveCall } from '../calling/guard.ts';
import { buildPackageOp, type CallableOp, chooseService, readListedOp } from '../calling/op.ts';
import { CommandFailedError, type Io, say, shortenType, UsageError } from '../io.ts';
import {
  addressArgument,
  amountArgument,
  answer,
  anyTypeArgument,
  boundArgument,
  byName,
  collectDistinct,
  collectValues,
  functionArgument,
  pairArgument,
  serviceArgument,
  typeArgument,
} from '../options.ts';
import {
  createTransactionCommand,
  type ExecutedTransaction,
  type Session,
  type SigningOptions,
  signAndExecute,
  withSession,
} from '../signing.ts';

interface CallOptions extends SigningOptions, CoinOptions {
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

/** Default of --gas-max, in MIST. */
const gasMaxDefault = 50_000_000n;

const examples = `
The wallet enforces the bounds: only the op's service acts, at most --amount of --coin-in (or --take) leaves the
wallet, and at least --min-out of --coin-out (or --bring) comes in. Without these options nothing may leave.
--gas-max limits the gas, because you pay for the storage that an op uses and its publisher can collect the rebate.

Examples:
  adaptor-marketplace call swap --service 0xa1...::pool::Pool --wallet 0xb2... --amount 1000000000 --min-out 2950000 \\
    --coin-in 0x2::sui::SUI --coin-out 0xc3...::usdc::USDC
  adaptor-marketplace call open --service 0xd4...::range::Range --wallet 0xb2... --set amountA=500 --set amountB=20 \\
    --take 0x2::sui::SUI=500 --take 0xc3...::usdc::USDC=20
  adaptor-marketplace call pay --package 0xe5... --wallet 0xb2... --amount 5000 --type-arg 0x2::sui::SUI \\
    --set recipient=0xf6...`;

/** `call`: executes an op from a manifest, or one built from a package's bytecode. */
export function createCallCommand(io: Io) {
  return createTransactionCommand('call', 'Executes an op within bounds that the wallet enforces.')
    .argument('<op>', 'function, or module::function', functionArgument)
    .option(
      '--service <type>',
      'call the op of this service in the catalog, as its manifest describes it',
      serviceArgument,
    )
    .option('--package <id>', 'or call a function of this package, listed or not', addressArgument)
    .option('--witness <type>', 'the service that acts, if --package has several')
    .option(
      '--object <id>',
      'a shared object that the function uses; may be repeated',
      collectValues(addressArgument),
    )
    .option('--wallet <id>', 'the wallet that the op acts for', addressArgument)
    .option('--amount <units>', 'amount that leaves the wallet, in base units', amountArgument)
    .option('--min-out <units>', 'minimum amount that must come in', amountArgument)
    .option('--coin-in <type>', 'coin that leaves the wallet', typeArgument)
    .option('--coin-out <type>', 'coin that comes in', typeArgument)
    .option(
      '--type-arg <type>',
      "a type argument of a generic function, in the function's order; may be repeated",
      collectValues(anyTypeArgument),
    )
    .option(
      '--set <name=value>',
      'a value that the op requires; may be repeated',
      collectDistinct(pairArgument, byName),
    )
    .option(
      '--take <coin=units>',
      'maximum of a coin that may leave, instead of --amount; may be repeated; none: nothing may leave',
      boundArgument,
    )
    .option(
      '--bring <coin=units>',
      'minimum of a coin that must come in, instead of --min-out; may be repeated; none: no minimum',
      boundArgument,
    )
    .option(
      '--without-bounds',
      'call without bounds: the op can then do anything with the wallet that you can do',
    )
    .option(
      '--gas-max <mist>',
      `maximum gas budget in MIST (default: ${gasMaxDefault}, which is 0.05 SUI)`,
      amountArgument,
    )
    .addHelpText('after', examples)
    .action(async (name: string, options: CallOptions) => {
      const called = await withSession(io, options, (session) => call(session, name, options));
      answer(io, options, called, () => formatExecution(called));
    });
}

interface CallResult extends ExecutedTransaction {
  /** Bounds that the wallet enforced, with amounts as decimal digits; null for a call without bounds. */
  bounds: { service: string; takes: DigitAmount[]; brings: DigitAmount[] } | null;
}
interface DigitAmount {
  coinType: string;
  amount: string;
}

async function call(session: Session, name: string, options: CallOptions): Promise<CallResult> {
  const readingWallet = options.wallet === undefined ? undefined : readWalletPackage(session, options.wallet);
  // An op that takes no wallet leaves the result unused.
  readingWallet?.catch(() => undefined);
  const callable = await resolveCallable(session, name, options);
  const { op, title } = callable;
  const known = await resolveCall(session, callable);
  const coins = resolveCoins(known, { ...options, ...resolveCoinsByTypeArgs(op, options.typeArg, options) });
  const append = appendCall(callable, coins, options);
  const { gasMax = gasMaxDefault } = options;
  const what = `${op.module}::${op.entry} of ${title}`;
  const takesWallet = listOpArguments(known.op).some(({ role }) => role === 'wallet');
  if (options.withoutBounds && known.calls.length > 1) {
    throw new UsageError(`--without-bounds: ${what} consists of several calls, which need the bounds.`);
  }
  requireEnforceable(options, what, takesWallet);
  const fixedParts = describeFixedParts(known.op, callable.packageId);
  if (!takesWallet) {
    say(session.io.err, fixedParts);
    return { ...(await signAndExecute(session, what, append, { gasMax })), bounds: null };
  }

  const walletPackage = await readingWallet!;
  const signing = { ...session, walletPackage };
  if (options.withoutBounds) {
    say(session.io.err, [
      `warning  no bounds: ${title} can do anything with the wallet that its owner can do`,
      ...fixedParts,
    ]);
    return { ...(await signAndExecute(signing, what, append, { gasMax })), bounds: null };
  }
  const bounds = {
    service: chooseService(callable, options.witness),
    ...deriveBounds(known, coins, options),
  };
  const [units] = await Promise.all([
    readUnits(session, bounds),
    requireLockable(session, walletPackage, callable),
  ]);
  say(session.io.err, [...describeBounds(bounds, units), ...fixedParts]);
  const target = { packageId: walletPackage.calledId, wallet: options.wallet! };
  const executed = await signAndExecute(
    signing,
    what,
    (tx) => appendAction(tx, target, bounds, () => append(tx)),
    { gasMax },
  ).catch((error: unknown) => {
    throw explainLock(error, walletPackage);
  });
  return { ...executed, bounds: formatBounds(bounds) };
}

function resolveCallable(session: Session, name: string, options: CallOptions): Promise<CallableOp> {
  const { service, package: packageId, object: objects = [] } = options;
  if (service !== undefined && packageId === undefined) {
    if (options.witness !== undefined)
      throw new UsageError('--witness goes with --package: a listing has one service.');
    return readListedOp(session, service, name);
  }
  if (service === undefined && packageId !== undefined) {
    return buildPackageOp(session, packageId, { name, objects, typeArgs: options.typeArg });
  }
  throw new UsageError('Give either --service with a service type, or --package with an id.');
}

/** @throws UsageError for a value that the op does not require, and for missing inputs */
function appendCall(
  { title, packageId, op }: CallableOp,
  coins: Coins,
  options: CallOptions,
): (tx: Transaction) => void {
  const { wallet, amount, minOut } = options;
  const values = parseValues(op, options.set ?? []);
  const given = Object.entries({ wallet, amount, minOut }).filter(([, value]) => value !== undefined);
  const inputs: OpInputs = { ...Object.fromEntries(given), ...coins, values };
  const missing = findMissingInputs(op, inputs);
  if (missing.length > 0) {
    throw new UsageError(`${op.module}::${op.entry} lacks required options: ${missing.join(', ')}.`);
  }
  return (tx) => {
    try {
      appendOp(tx, packageId, op, inputs);
    } catch (error) {
      // A value that the manifest itself fixes may not be valid for its type.
      throw new CommandFailedError(
        `${title} does not say correctly how ${op.module}::${op.entry} is called: ${getErrorMessage(error)}`,
      );
    }
  };
}

/** Lists the options that an op requires and that are missing. */
function findMissingInputs(op: CallableOp['op'], inputs: OpInputs): string[] {
  const options = {
    wallet: '--wallet <id>',
    amount: '--amount <units>',
    minOut: '--min-out <units>',
    coinIn: '--coin-in <type>',
    coinOut: '--coin-out <type>',
  };
  const required: string[] = listOpSteps(op).flatMap(({ args, typeArgs }) => [
    ...args.map(({ role }) => role),
    ...typeArgs,
  ]);
  const lacking = Object.entries(options).flatMap(([name, option]) =>
    required.includes(name) && inputs[name as keyof typeof options] === undefined ? [option] : [],
  );
  const unset = [...listRequiredValues(op)].filter(([name]) => !Object.hasOwn(inputs.values ?? {}, name));
  return [...lacking, ...unset.map(([name, type]) => `--set ${name}=<${type}>`)];
}

/** Refuses bounds that would not be enforced, so that callers do not rely on them. @throws UsageError */
function requireEnforceable(
  { take, bring, withoutBounds }: CallOptions,
  what: string,
  takesWallet: boolean,
): void {
  if (take === undefined && bring === undefined) return;
  if (!takesWallet)
    throw new UsageError(`${what} takes no wallet, so --take and --bring cannot bound it. Leave them out.`);
  if (withoutBounds)
    throw new UsageError('--take and --bring are bounds. Leave out either them or --without-bounds.');
}

function readUnits({ client }: Session, { takes, brings }: ActionBounds): Promise<Map<string, CoinUnit>> {
  return coinUnits(client).read([...takes, ...brings].map(({ coinType }) => coinType));
}

function formatBounds({ service, takes, brings }: ActionBounds): CallResult['bounds'] {
  const digits = (amounts: ActionBounds['takes']) =>
    sumByCoin(amounts).map(({ coinType, amount }) => ({ coinType, amount: String(amount) }));
  return { service, takes: digits(takes), brings: digits(brings) };
}

const formatExecution = ({ digest, events }: ExecutedTransaction) => [
  `digest  ${digest}`,
  ...events.map(({ type, json }) => `event   ${shortenType(type)} ${JSON.stringify(json)}`),
];
