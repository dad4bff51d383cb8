import { GrpcTypes } from '@mysten/sui/grpc';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import type { Argument, Command } from '../../execution/types.ts';
import { parseAddress, parseType } from '../query/move-path.ts';
import { missingField } from '../server/status-details.ts';

const { Argument_ArgumentKind: ArgumentKind } = GrpcTypes;

/** A command as `bcs.ProgrammableTransaction` has it, as a message. */
export function commandMessage(command: Command): GrpcTypes.Command {
  switch (command.$kind) {
    case 'MoveCall': {
      const { package: id, module, function: name, typeArguments, arguments: args } = command.MoveCall;
      return {
        command: {
          oneofKind: 'moveCall',
          moveCall: {
            package: id,
            module,
            function: name,
            typeArguments: [...typeArguments],
            arguments: args.map(argumentMessage),
          },
        },
      };
    }
    case 'TransferObjects': {
      const { objects, address } = command.TransferObjects;
      return {
        command: {
          oneofKind: 'transferObjects',
          transferObjects: { objects: objects.map(argumentMessage), address: argumentMessage(address) },
        },
      };
    }
    case 'SplitCoins': {
      const { coin, amounts } = command.SplitCoins;
      return {
        command: {
          oneofKind: 'splitCoins',
          splitCoins: { coin: argumentMessage(coin), amounts: amounts.map(argumentMessage) },
        },
      };
    }
    case 'MergeCoins': {
      const { destination, sources } = command.MergeCoins;
      return {
        command: {
          oneofKind: 'mergeCoins',
          mergeCoins: {
            coin: argumentMessage(destination),
            coinsToMerge: sources.map(argumentMessage),
          },
        },
      };
    }
    case 'MakeMoveVec': {
      const { type, elements } = command.MakeMoveVec;
      const message: GrpcTypes.MakeMoveVector = { elements: elements.map(argumentMessage) };
      if (type !== null) message.elementType = type;
      return { command: { oneofKind: 'makeMoveVector', makeMoveVector: message } };
    }
    case 'Publish': {
      const { modules, dependencies } = command.Publish;
      return {
        command: {
          oneofKind: 'publish',
          publish: { modules: modules.map(fromBase64), dependencies: [...dependencies] },
        },
      };
    }
    case 'Upgrade': {
      const { modules, dependencies, package: id, ticket } = command.Upgrade;
      return {
        command: {
          oneofKind: 'upgrade',
          upgrade: {
            modules: modules.map(fromBase64),
            dependencies: [...dependencies],
            package: id,
            ticket: argumentMessage(ticket),
          },
        },
      };
    }
  }
}

/** The inverse. @throws GrpcError INVALID_ARGUMENT for what is missing or malformed. */
export function commandOf({ command }: GrpcTypes.Command): Command {
  switch (command.oneofKind) {
    case 'moveCall': {
      const call = command.moveCall;
      return {
        $kind: 'MoveCall',
        MoveCall: {
          package: parseAddress(call.package, 'move_call.package'),
          module: call.module ?? '',
          function: call.function ?? '',
          typeArguments: call.typeArguments.map((type) => parseType(type, 'move_call.type_arguments')),
          arguments: call.arguments.map(argumentOf),
        },
      };
    }
    case 'transferObjects': {
      const { objects, address } = command.transferObjects;
      const TransferObjects = { objects: objects.map(argumentOf), address: argumentOf(address) };
      return { $kind: 'TransferObjects', TransferObjects };
    }
    case 'splitCoins': {
      const { coin, amounts } = command.splitCoins;
      return {
        $kind: 'SplitCoins',
        SplitCoins: { coin: argumentOf(coin), amounts: amounts.map(argumentOf) },
      };
    }
    case 'mergeCoins': {
      const { coin, coinsToMerge } = command.mergeCoins;
      return {
        $kind: 'MergeCoins',
        MergeCoins: { destination: argumentOf(coin), sources: coinsToMerge.map(argumentOf) },
      };
    }
    case 'makeMoveVector': {
      const { elementType, elements } = command.makeMoveVector;
      const type = elementType ? parseType(elementType, 'make_move_vector.element_type') : null;
      return { $kind: 'MakeMoveVec', MakeMoveVec: { type, elements: elements.map(argumentOf) } };
    }
    case 'publish': {
      const { modules, dependencies } = command.publish;
      return {
        $kind: 'Publish',
        Publish: { modules: modules.map(toBase64), dependencies: dependencies.map(dependencyOf) },
      };
    }
    case 'upgrade': {
      const { modules, dependencies, package: id, ticket } = command.upgrade;
      return {
        $kind: 'Upgrade',
        Upgrade: {
          modules: modules.map(toBase64),
          dependencies: dependencies.map(dependencyOf),
          package: parseAddress(id, 'upgrade.package'),
          ticket: argumentOf(ticket),
        },
      };
    }
    default:
      throw missingField('transaction.kind.commands', 'a command without a kind');
  }
}

const dependencyOf = (id: string) => parseAddress(id, 'dependencies');

export function argumentMessage(argument: Argument): GrpcTypes.Argument {
  switch (argument.$kind) {
    case 'GasCoin':
      return { kind: ArgumentKind.GAS };
    case 'Input':
      return { kind: ArgumentKind.INPUT, input: argument.Input };
    case 'Result':
      return { kind: ArgumentKind.RESULT, result: argument.Result };
    case 'NestedResult': {
      const [result, subresult] = argument.NestedResult;
      return { kind: ArgumentKind.RESULT, result, subresult };
    }
  }
}

function argumentOf(argument: GrpcTypes.Argument | undefined): Argument {
  switch (argument?.kind) {
    case ArgumentKind.GAS:
      return { $kind: 'GasCoin' };
    case ArgumentKind.INPUT:
      return { $kind: 'Input', Input: argument.input ?? 0 };
    case ArgumentKind.RESULT: {
      const result = argument.result ?? 0;
      return argument.subresult === undefined
        ? { $kind: 'Result', Result: result }
        : { $kind: 'NestedResult', NestedResult: [result, argument.subresult] };
    }
    default:
      throw missingField('transaction.kind.commands', 'an argument without a kind');
  }
}
