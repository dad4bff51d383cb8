import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { toBase64 } from '@mysten/sui/utils';
import type { MoveObject } from '../../state/objects.ts';
import type { Argument, Command, ExecutionArgument } from '../types.ts';

export const ALICE = `0x${'a11ce'.padStart(64, '0')}`;
export const BOB = `0x${'b0b'.padStart(64, '0')}`;

export async function publishCommand(sources: Record<string, string>, name = 'demo'): Promise<Command> {
  const manifest = `[package]\nname = "${name}"\nedition = "2024"\n[addresses]\n${name} = "0x0"\n`;
  const files = Object.fromEntries(
    Object.entries(sources).map(([module, text]) => [`sources/${module}.move`, text]),
  );
  const { modules, dependencies } = await compileSources({ 'Move.toml': manifest, ...files });
  return { $kind: 'Publish', Publish: { modules: modules.map((bytes) => toBase64(bytes)), dependencies } };
}

/** `target` as `package::module::function`. */
export function call(target: string, args: Argument[] = [], typeArguments: string[] = []): Command {
  const [packageId, module, name] = target.split('::') as [string, string, string];
  return {
    $kind: 'MoveCall',
    MoveCall: { package: packageId, module, function: name, typeArguments, arguments: args },
  };
}

export function transfer(objects: Argument[], address: Argument): Command {
  return { $kind: 'TransferObjects', TransferObjects: { objects, address } };
}

export const input = (index: number): Argument => ({ $kind: 'Input', Input: index });
export const result = (index: number): Argument => ({ $kind: 'Result', Result: index });
export const nested = (command: number, value: number): Argument => ({
  $kind: 'NestedResult',
  NestedResult: [command, value],
});
export const gasCoin: Argument = { $kind: 'GasCoin' };

export function pure(
  type: { serialize(value: never): { toBytes(): Uint8Array } },
  value: unknown,
): ExecutionArgument {
  return { kind: 'pure', bytes: type.serialize(value as never).toBytes() };
}

export function objectInput(object: MoveObject, mutable = true): ExecutionArgument {
  return { kind: 'object', object, mutable };
}
