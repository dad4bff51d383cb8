import { canonicalType } from '@adaptor-marketplace/adaptor';
import { type Html, html } from '../components/html.ts';
import { plain } from '../components/plain.ts';
import type { PackageNames } from '../components/type-names.ts';
import { address, withShortIds } from '../components/values.ts';
import type { CoinName } from './coin-names.ts';

/** An operation as the graph returns it. A publisher wrote it, so any field may be missing. */
export interface Operation {
  kind: string | null;
  module: string | null;
  entry: string | null;
  label: string | null;
  executable: boolean;
  reason: { code: string; detail: string } | null;
  /** Call spec, checked if the operation is executable; null if the operation has several calls. */
  call: CallSpec | null;
  /** Calls in order, if there are several. */
  calls: readonly StepSpec[] | null;
  /** Type of the coin that leaves the wallet, and of the one that enters it, if its fixed objects settle them. */
  coinIn: string | null;
  coinOut: string | null;
}

/** GraphQL fields of an operation that pages describe. */
export const operationFields =
  'kind module entry label executable call calls coinIn coinOut reason { code detail }';

interface CallSpec {
  typeArgs: readonly string[];
  args: readonly Argument[];
}

interface StepSpec extends CallSpec {
  /** Package of the call; default: the package of the adaptor. */
  packageId?: string;
  module: string;
  entry: string;
}

export interface Argument {
  role: string;
  objectId?: string;
  mutable?: boolean;
  type?: string;
  value?: unknown;
  name?: string;
  /** Position of the earlier call whose result this is, from 0. `index` is the position of the result, from 0. */
  call?: number;
  index?: number;
}

/** The calls of an operation: several, one or none. */
interface Calls {
  call?: CallSpec | null | undefined;
  calls?: readonly CallSpec[] | null | undefined;
}

const listCallSpecs = ({ call, calls }: Calls): readonly CallSpec[] => calls ?? (call ? [call] : []);

export const hasRole = (operation: Calls, role: string): boolean =>
  listCallSpecs(operation).some(({ args }) => args.some((argument) => argument.role === role));

export const formatOperationName = ({ label, entry }: Operation): string =>
  label ?? entry ?? 'Unnamed operation';

const joinWords = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** Objects that each network has at the same address, by what they are. */
const systemObjects = new Map([
  [5n, 'the state of the network'],
  [6n, 'the clock'],
  [8n, 'the random numbers of the network'],
  [0x403n, 'the deny list of the network'],
]);

const objectsMax = 6;

/** Types that the code of an adaptor shows. */
export interface KnownTypes {
  /** Types of objects by the ids of the objects. */
  objects: ReadonlyMap<string, string>;
  /** The adaptor's name, by the ids of its package. */
  packages: PackageNames;
}

type ObjectTypes = KnownTypes['objects'];

/** Names objects: those of the network in words, others by their ids and types, and beyond a bound by their number. */
function nameObjects(ids: readonly string[], types: ObjectTypes): string[] {
  const isId = (id: string) => /^0x[0-9a-fA-F]{1,64}$/.test(id);
  const named = ids.flatMap((id) => (isId(id) ? (systemObjects.get(BigInt(id)) ?? []) : []));
  const others = ids.filter((id) => !isId(id) || !systemObjects.has(BigInt(id)));
  const shown = others.slice(0, objectsMax).map((id, at) => {
    const type = types.get(id);
    return `${at === 0 ? 'the object ' : ''}${id}${type === undefined ? '' : ` (${type})`}`;
  });
  const rest = others.length - shown.length;
  if (shown.length > 1) shown[0] = shown[0]!.replace('object', 'objects');
  return [...shown, ...(rest > 0 ? [`${rest} more`] : []), ...named];
}

/** Describes the coins that an amount may have. */
function describeCoins(
  typeArgs: readonly string[],
  role: 'coinIn' | 'coinOut',
  { settled, coins }: { settled: string | null; coins: readonly CoinName[] },
): string {
  if (settled !== null) {
    const isSettled = ({ coinType }: CoinName) => canonicalType(coinType) === canonicalType(settled);
    return coins.find(isSettled)?.name ?? settled;
  }
  if (typeArgs.includes(role)) {
    if (coins.length === 0) return 'any coin';
    const names = coins.map(({ name }) => name);
    return names.length > 3 ? 'the coin you choose' : joinWords(names, 'or');
  }
  return coins.length === 1 ? coins[0]!.name : 'the coin that its code names';
}

/**
 * Describes what an operation may do with a wallet, in sentences that are made from its call specs. They have ids and types in full.
 * @param coins the coins that the manifest supports; empty if it supports any
 * @param types types of objects that the code shows
 */
export function describeOperation(
  operation: Pick<Operation, 'call' | 'calls' | 'coinIn' | 'coinOut'>,
  coins: readonly CoinName[],
  types: ObjectTypes = new Map(),
): string[] {
  const specs = listCallSpecs(operation);
  if (specs.length === 0) return [];
  const args = specs.flatMap((spec) => spec.args);
  const typeArgs = specs.flatMap((spec) => spec.typeArgs);
  const has = (role: string) => hasRole(operation, role);
  const ids = (isMutable: boolean) => [
    ...new Set(
      args
        .filter((one) => one.role === 'object' && (one.mutable === true) === isMutable)
        .map(({ objectId = '' }) => objectId),
    ),
  ];
  const takes = has('amount')
    ? `takes the amount you name of ${describeCoins(typeArgs, 'coinIn', { settled: operation.coinIn, coins })} from your wallet`
    : has('wallet')
      ? 'asks for no amount: your grant alone bounds what it takes from your wallet'
      : 'does not touch your wallet';
  const gives = has('minOut')
    ? `gives back at least the minimum you set of ${describeCoins(typeArgs, 'coinOut', { settled: operation.coinOut, coins })}`
    : undefined;
  const changed = nameObjects(ids(true), types);
  const read = [...new Set([...nameObjects(ids(false), types), ...(has('clock') ? ['the clock'] : [])])];
  const touches = [
    ...(changed.length > 0 ? [`changes ${joinWords(changed)}`] : []),
    ...(read.length > 0 ? [`reads ${joinWords(read)}`] : []),
  ];
  const values = args.filter(({ role }) => role === 'pure');
  const requested = [
    ...new Set(values.filter(({ value }) => value === undefined).map(({ name, type = '' }) => name ?? type)),
  ];
  const fixed = values.filter(({ value }) => value !== undefined);
  return [
    toSentence(joinWords([takes, ...(gives ? [gives] : [])])),
    ...describeCalls(operation.calls ?? []),
    ...(has('amount') && !gives && typeArgs.includes('coinOut')
      ? ['It sets no minimum for what you get back.']
      : []),
    ...(touches.length > 0 ? [toSentence(`it ${joinWords(touches)}`)] : []),
    ...(requested.length > 0 ? [`It asks you for ${joinWords(requested)}.`] : []),
    ...(fixed.length > 0
      ? [
          `It passes ${joinWords(fixed.map(({ name, type = '', value }) => `${formatValue(value)} as ${name ?? type}`))}.`,
        ]
      : []),
  ];
}

const valueLengthMax = 200;

/** Formats a fixed value as JSON. A cut value says so, because the part that matters may be at its end. */
function formatValue(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= valueLengthMax) return text;
  return `${text.slice(0, valueLengthMax)}… (the first ${valueLengthMax} of ${text.length} characters)`;
}

/** Describes an operation of several calls, and names the packages other than the adaptor's that they call. */
function describeCalls(calls: readonly StepSpec[]): string[] {
  if (calls.length === 0) return [];
  const others = [...new Set(calls.flatMap(({ packageId }) => packageId ?? []))];
  const also =
    others.length === 0
      ? ''
      : `, also of the ${others.length === 1 ? 'package' : 'packages'} ${joinWords(others)}`;
  return [`It is ${calls.length} calls of one transaction${also}.`];
}

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const objectLabel = (type: string | undefined, names: PackageNames): Html =>
  type === undefined ? 'an object' : html`the object ${withShortIds(type, names)}`;

/** Describes an argument to a developer that builds the call. */
export function describeArgument(
  { role, objectId = '', mutable, type, value, name, call = 0, index = 0 }: Argument,
  types: KnownTypes,
): Html {
  if (role === 'wallet') return 'your wallet';
  if (role === 'amount') return 'the amount to take, in base units';
  if (role === 'minOut') return 'the least to give back, in base units';
  if (role === 'clock') return 'the clock of the chain';
  if (role === 'result') return `result ${index + 1} of call ${call + 1}`;
  if (role === 'object')
    return html`${objectLabel(types.objects.get(objectId), types.packages)} that it ${mutable ? 'changes' : 'reads'}: ${address(objectId)}`;
  const described = html`${name ? html`${plain(name)}: ` : ''}a value of type ${withShortIds(type ?? '')}`;
  return html`${described}, ${value === undefined ? 'which you give' : html`always ${plain(JSON.stringify(value))}`}`;
}
