import { coinName, shortened } from '../components/values.ts';

/** An operation as the graph shows it: what a publisher wrote, of which any field may be missing. */
export interface Operation {
  kind: string | null;
  module: string | null;
  entry: string | null;
  label: string | null;
  executable: boolean;
  reason: { code: string; detail: string } | null;
  /** Its call spec, checked where the operation is executable. */
  call: CallSpec | null;
}

interface CallSpec {
  typeArgs: readonly string[];
  args: readonly Argument[];
}

interface Argument {
  role: string;
  objectId?: string;
  mutable?: boolean;
  type?: string;
  value?: unknown;
  name?: string;
}

export const nameOf = ({ label, entry }: Operation): string => label ?? entry ?? 'Unnamed operation';

const listed = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** The coins that an amount may be of, in words. */
function coinsOf(
  typeArgs: readonly string[],
  role: 'coinIn' | 'coinOut',
  supported: readonly string[],
): string {
  if (typeArgs.includes(role)) {
    if (supported.length === 0) return 'any coin';
    return supported.length > 3 ? 'the coin you choose' : listed(supported.map(coinName), 'or');
  }
  return supported.length === 1 ? coinName(supported[0]!) : 'the coin that its code names';
}

/**
 * What an operation may do with a wallet, as sentences made from its call spec.
 * @param supported the coins that the manifest names; empty: any
 */
export function operationSentences(
  { call }: Pick<Operation, 'call'>,
  supported: readonly string[],
): string[] {
  if (!call) return [];
  const { args, typeArgs } = call;
  const has = (role: string) => args.some((argument) => argument.role === role);
  const ids = (isMutable: boolean) => [
    ...new Set(
      args
        .filter((one) => one.role === 'object' && (one.mutable === true) === isMutable)
        .map(({ objectId = '' }) => shortened(objectId)),
    ),
  ];
  const takes = has('amount')
    ? `takes the amount you name of ${coinsOf(typeArgs, 'coinIn', supported)} from your wallet`
    : has('wallet')
      ? 'asks for no amount: your grant alone bounds what it takes from your wallet'
      : 'does not touch your wallet';
  const gives = has('minOut')
    ? `gives back at least the minimum you set of ${coinsOf(typeArgs, 'coinOut', supported)}`
    : undefined;
  const changed = ids(true);
  const read = [...ids(false), ...(has('clock') ? ['the clock'] : [])];
  const touches = [
    ...(changed.length > 0 ? [`changes ${objects(changed)}`] : []),
    ...(read.length > 0 ? [`reads ${listed(read)}`] : []),
  ];
  const values = args.filter(({ role }) => role === 'pure');
  const asked = values.filter(({ value }) => value === undefined).map(({ name, type = '' }) => name ?? type);
  const fixed = values.filter(({ value }) => value !== undefined);
  return [
    sentence(listed([takes, ...(gives ? [gives] : [])])),
    ...(has('amount') && !gives && typeArgs.includes('coinOut')
      ? ['It sets no minimum for what you get back.']
      : []),
    ...(touches.length > 0 ? [sentence(`it ${listed(touches)}`)] : []),
    ...(asked.length > 0 ? [`It asks you for ${listed(asked)}.`] : []),
    ...(fixed.length > 0
      ? [
          `It passes ${listed(fixed.map(({ name, type = '', value }) => `${JSON.stringify(value).slice(0, 80)} as ${name ?? type}`))}.`,
        ]
      : []),
  ];
}

const objects = (ids: readonly string[]) => `the ${ids.length === 1 ? 'object' : 'objects'} ${listed(ids)}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** What an argument is, for the one who builds the call. */
export function argumentWords({ role, objectId, mutable, type, value, name }: Argument): string {
  if (role === 'wallet') return 'your wallet';
  if (role === 'amount') return 'the amount to take, in base units';
  if (role === 'minOut') return 'the least to give back, in base units';
  if (role === 'clock') return 'the clock of the chain';
  if (role === 'object')
    return `the object ${objectId}${mutable ? ', which it changes' : ', which it reads'}`;
  const of = `${name ? `${name}: ` : ''}a value of type ${type}`;
  return value === undefined ? `${of}, which you give` : `${of}, always ${JSON.stringify(value)}`;
}
