import { type FunctionReader, typeText } from '@adaptor-marketplace/adaptor/chain';
import { pureTypeName } from '@adaptor-marketplace/adaptor/manifest';
import { type PureTypeName, pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import type { Transaction } from '@mysten/sui/transactions';
import { CommandFailedError, quoteForShell } from './io.ts';

type Data = ReturnType<Transaction['getData']>;
type Command = Data['commands'][number];
type Argument = NonNullable<Command['MoveCall']>['arguments'][number];

/**
 * Formats a transaction as a line for the command line of Sui. A transaction does not contain the types of plain
 * values, so they come from the functions that receive them.
 * @throws CommandFailedError for content that the line cannot express
 */
export async function formatPtb(
  { sender, inputs, commands }: Data,
  gasBudget: bigint,
  functions: FunctionReader,
): Promise<string> {
  const used = new Set(commands.flatMap(listArguments).map(findResult));
  const words: string[] = ['sui', 'client', 'ptb', '--sender', `@${sender}`];
  for (const [index, command] of commands.entries()) {
    words.push(...(await toWords(command)));
    if (used.has(index)) words.push('--assign', `r${index}`);
  }
  return [...words, '--gas-budget', String(gasBudget)].map(quoteForShell).join(' ');

  async function toWords({ MoveCall: call, SplitCoins: split, TransferObjects: transfer, $kind }: Command) {
    if (call) {
      const signature = await functions.signature(call.package, call.module, call.function);
      if (signature.status !== 'found') {
        throw new CommandFailedError(
          `The node does not show ${call.package}::${call.module}::${call.function}. Try again.`,
        );
      }
      const { parameters } = signature.value;
      const types = call.typeArguments.length === 0 ? [] : [`<${call.typeArguments.join(',')}>`];
      const given = call.arguments.map((one, index) =>
        formatArgument(one, parameters[index] && typeText(parameters[index].type, call.typeArguments)),
      );
      return ['--move-call', `${call.package}::${call.module}::${call.function}`, ...types, ...given];
    }
    if (split) return ['--split-coins', formatArgument(split.coin), formatList(split.amounts, 'u64')];
    if (transfer)
      return [
        '--transfer-objects',
        formatList(transfer.objects),
        formatArgument(transfer.address, 'address'),
      ];
    throw new CommandFailedError(`--ptb cannot write the command ${$kind}. Run it without --ptb.`);
  }

  function formatList(items: readonly Argument[], type?: string): string {
    return `[${items.map((one) => formatArgument(one, type)).join(', ')}]`;
  }

  function formatArgument(argument: Argument, type?: string): string {
    if (argument.$kind === 'GasCoin') return 'gas';
    if (argument.$kind === 'Result') return `r${argument.Result}`;
    if (argument.$kind === 'NestedResult') return `r${argument.NestedResult.join('.')}`;
    const input = inputs[argument.Input]!;
    if (input.Pure) return formatPure(Buffer.from(input.Pure.bytes, 'base64'), type);
    const { SharedObject, ImmOrOwnedObject, Receiving } = input.Object ?? {};
    const id = (SharedObject ?? ImmOrOwnedObject ?? Receiving ?? input.UnresolvedObject)?.objectId;
    if (id !== undefined) return `@${id}`;
    throw new CommandFailedError(
      `--ptb cannot write an input of the kind ${input.$kind}. Run it without --ptb.`,
    );
  }
}

function listArguments({
  MoveCall: call,
  SplitCoins: split,
  TransferObjects: transfer,
}: Command): Argument[] {
  if (call) return call.arguments;
  if (split) return [split.coin, ...split.amounts];
  return transfer ? [...transfer.objects, transfer.address] : [];
}

function findResult(argument: Argument): number | undefined {
  if (argument.$kind === 'Result') return argument.Result;
  return argument.$kind === 'NestedResult' ? argument.NestedResult[0] : undefined;
}

function formatPure(bytes: Uint8Array, type: string | undefined): string {
  const name = type && pureTypeName(type);
  if (!name)
    throw new CommandFailedError(`--ptb cannot write a value of the type ${type}. Run it without --ptb.`);
  return formatLiteral(name, pureBcsSchemaFromTypeName(name as PureTypeName).parse(bytes));
}

/**
 * Formats a value for the grammar of `sui client ptb`.
 * @param type the SDK's name of the type, such as `vector<u8>`
 */
function formatLiteral(type: string, value: unknown): string {
  const [, outer, item = ''] = /^(vector|option)<(.+)>$/.exec(type) ?? [];
  if (outer === 'vector')
    return `vector[${[...(value as unknown[])].map((one) => formatLiteral(item, one)).join(',')}]`;
  if (outer === 'option') return value === null ? 'none' : `some(${formatLiteral(item, value)})`;
  if (type === 'address' || type === 'id') return `@${value}`;
  if (type === 'string') return formatText(String(value));
  return type === 'bool' ? String(value) : `${value}${type}`;
}

/** Quotes a text with quotes that it does not contain, since the grammar has no escapes. */
function formatText(text: string): string {
  const quote = ['"', "'"].find((one) => !text.includes(one));
  if (quote !== undefined && !/[\\\p{Cc}]/u.test(text)) return `${quote}${text}${quote}`;
  throw new CommandFailedError(
    `--ptb cannot write the text ${JSON.stringify(text)}: it has a backslash, a control or both quotes.`,
  );
}
